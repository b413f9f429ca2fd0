import { deleteChunk, findChunkForUpdate, updateChunk } from '../../db/chunks.ts';
import { failure } from '../../queues/failure.ts';
import type { Handler } from '../job.ts';
import { checkedContent } from './checked-content.ts';
import { chunkEntryOf, namedDatasetOf } from './chunk-entry.ts';
import { loadCountTokens } from './count-tokens.ts';

const otherDataset = { path: 'dataset_id', message: 'must be the dataset that the chunk is in' };
const noContent = { path: 'content', message: 'is required unless deleted is true' };

export const editChunk: Handler<'editChunk'> = async job => {
  const { body, caller, hostId } = job;
  const countTokens = await loadCountTokens();
  return job.commit(async scope => {
    const chunk = await findChunkForUpdate(scope, body.id);
    if (!chunk) return failure('chunk-not-found');
    if (chunk.datasetId !== namedDatasetOf(body)) return failure('body-invalid', { fields: [otherDataset] });
    if (body.deleted) {
      await deleteChunk(scope, chunk.id);
      return { code: 200, data: { ...chunkEntryOf(hostId, chunk), deleted: true } };
    }
    if (body.content === undefined) return failure('body-invalid', { fields: [noContent] });
    const checked = await checkedContent(scope, body.content, chunk.datasetType);
    if ('code' in checked) return checked;
    const writtenBy = { id: caller.tokenId, name: caller.tokenName };
    await updateChunk(scope, chunk.id, { ...checked, tokenCount: countTokens(checked.content), writtenBy });
    return { code: 200, data: chunkEntryOf(hostId, { ...chunk, content: checked.content }) };
  });
};
