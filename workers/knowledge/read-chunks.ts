import { type ReadChunk, readChunks as pageOf, readChunksById } from '../../db/chunks.ts';
import { hasAvatar } from '../../db/avatars.ts';
import type { Db } from '../../db/connection.ts';
import { findHost } from '../../db/hosts.ts';
import { type HostScope, withHost } from '../../db/with-hosts.ts';
import { failure } from '../../queues/failure.ts';
import { MOST_CHUNKS_READ } from '../../queues/operations/chunks.ts';
import type { BodyOf, DataOf } from '../../queues/operations/index.ts';
import type { Handler } from '../job.ts';
import { searchChunks } from '../search-chunks.ts';

/** One answer crosses the queue in one piece, and whoever packs it does nothing else meanwhile. */
const MOST_BYTES = 8 * 1_048_576;

export function readChunks(db: Db): Handler<'readChunks'> {
  return ({ hostId, body }) =>
    withHost(db, hostId, async scope => {
      if (!(await hasAvatar(scope, body.avatar_id))) return failure('avatar-not-found');
      const question = body.question?.trim() ? body.question : '';
      const chunks = question ? await bestFor(scope, body, question) : await newest(scope, body);
      return { code: 200, data: chunks.map(chunk => readEntryOf(chunk, question)) };
    });
}

function newest(scope: HostScope, body: BodyOf<'readChunks'>): Promise<ReadChunk[]> {
  const { avatar_id: avatarId, dataset_ids: datasetIds, limit = MOST_CHUNKS_READ, offset = 0 } = body;
  return pageOf(scope, { avatarId, datasetIds }, { limit, offset, mostBytes: MOST_BYTES });
}

async function bestFor(
  scope: HostScope,
  {
    avatar_id: avatarId,
    dataset_ids: datasetIds,
    limit = MOST_CHUNKS_READ,
    offset = 0,
  }: BodyOf<'readChunks'>,
  query: string,
): Promise<ReadChunk[]> {
  const most = (await findHost(scope))?.maxChunks ?? 0;
  const found = await searchChunks(scope, { avatarId, datasetIds, query, given: 'unfiltered', limit: most });
  const asked = found.slice(offset, offset + limit);
  return readChunksById(
    scope,
    avatarId,
    asked.map(chunk => chunk.chunkId),
  );
}

function readEntryOf(chunk: ReadChunk, question: string): DataOf<'readChunks'>[number] {
  return {
    dataset_id: chunk.datasetId,
    dataset_name: chunk.datasetName,
    expires: chunk.expires.toISOString(),
    chunk_id: chunk.chunkId,
    content: chunk.content,
    last_update: chunk.updatedAt.toISOString(),
    token_count: chunk.tokenCount,
    search_question: question,
    user_id: chunk.writtenBy ?? '',
    user_name: chunk.writtenByName ?? '',
  };
}
