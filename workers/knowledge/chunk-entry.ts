import type { StoredChunk } from '../../db/chunks.ts';
import type { DataOf } from '../../queues/operations/index.ts';

/** The chunk as clients know it. */
export function chunkEntryOf(
  hostId: string,
  { id, content, datasetId }: Pick<StoredChunk, 'id' | 'content' | 'datasetId'>,
): DataOf<'createChunk'> {
  return { chunk_id: id, content, dataset_id: datasetId, host_id: hostId };
}

/** A chunk is in one dataset, which clients name alone or in a list. */
export function namedDatasetOf({ dataset_id }: { readonly dataset_id: string | readonly string[] }): string {
  const [only = ''] = typeof dataset_id === 'string' ? [dataset_id] : dataset_id;
  return only.toLowerCase();
}
