import { insertChunk } from '../../db/chunks.ts';
import { findDataset } from '../../db/datasets.ts';
import { failure } from '../../queues/failure.ts';
import type { Handler } from '../job.ts';
import { checkedContent } from './checked-content.ts';
import { chunkEntryOf, namedDatasetOf } from './chunk-entry.ts';
import { loadCountTokens } from './count-tokens.ts';

export const createChunk: Handler<'createChunk'> = async job => {
  const { body, caller, hostId } = job;
  const countTokens = await loadCountTokens();
  return job.commit(async scope => {
    const dataset = await findDataset(scope, namedDatasetOf(body));
    if (!dataset) return failure('dataset-not-found');
    const checked = await checkedContent(scope, body.content, dataset.type);
    if ('code' in checked) return checked;
    const { content } = checked;
    const writtenBy = { id: caller.tokenId, name: caller.tokenName };
    const tokenCount = countTokens(content);
    const id = await insertChunk(scope, { ...checked, datasetId: dataset.id, tokenCount, writtenBy });
    // Deleted in this very moment.
    if (id === undefined) return failure('dataset-not-found');
    return { code: 201, data: chunkEntryOf(hostId, { id, content, datasetId: dataset.id }) };
  });
};
