import { hasAvatar } from '../../db/assistants/avatars.ts';
import { readEvaluationCases } from '../../db/assistants/evaluation-cases.ts';
import type { Db } from '../../db/connection.ts';
import { readChunks } from '../../db/knowledge/chunks.ts';
import { findDataset } from '../../db/knowledge/datasets.ts';
import { withHost } from '../../db/with-hosts.ts';
import { failure, isFailure } from '../../queues/contract/failure.ts';
import { MAX_BYTES_READ, MAX_CHUNKS_READ } from '../../queues/contract/operations/chunks.ts';
import { MAX_PROPOSED, MAX_PROPOSED_FROM } from '../../queues/contract/operations/evaluation.ts';
import type { EvaluationCase } from '../../queues/contract/operations/evaluation-shape.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { keyOfQuestion, proposeQuestions } from '../domain/propose-questions.ts';
import type { Handler } from '../runtime/job.ts';

const page = { limit: MAX_CHUNKS_READ, offset: 0, maxBytes: MAX_BYTES_READ };

export function makeProposeCases(db: Db): Handler<'proposeCases'> {
  return async ({ hostId, body: { avatarId, datasetId } }) => {
    const read = await withHost(db, hostId, async scope => {
      if (!(await hasAvatar(scope, avatarId))) return failure('avatar-not-found');
      if (!(await findDataset(scope, datasetId))) return failure('dataset-not-found');
      const chunks = await readChunks(scope, { avatarId, datasetIds: [datasetId] }, page);
      const cases = await readEvaluationCases<EvaluationCase>(scope, avatarId);
      return { code: 200, data: { chunks, cases } } as const;
    });
    if (isFailure(read)) return read;
    const passages = read.data.chunks.map(chunk => ({
      id: chunk.chunk_id,
      content: chunk.content,
      page: pageOf(chunk),
    }));
    const stored = new Map(read.data.cases.map(({ question }) => [keyOfQuestion(question), question]));
    let room = MAX_PROPOSED - stored.size;
    const proposed = proposeQuestions(passages, MAX_PROPOSED).flatMap(({ question, passageIds }) => {
      const known = stored.get(keyOfQuestion(question));
      if (known === undefined && (room -= 1) < 0) return [];
      const chunkIds = passageIds.slice(0, MAX_PROPOSED_FROM);
      return [{ question: known ?? question, chunkIds, stored: known !== undefined }];
    });
    const pages = new Set(passages.map(each => each.page)).size;
    return { code: 200, data: { avatarId, passages: passages.length, pages, proposed } };
  };
}

/** The title of a passage ends with its page where that is of a site, otherwise with its place in the document. */
function pageOf({ document_id: id = '', document_title: title = '' }: DataOf<'readChunks'>[number]): string {
  return /, https?:\S+$/.test(title) ? title : id;
}
