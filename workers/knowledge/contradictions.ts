import { switchApprovedOff } from '../../db/assistants/approved-answers.ts';
import {
  decideContradiction,
  findContradiction,
  listContradictions as listOpen,
} from '../../db/knowledge/contradictions.ts';
import { setDocumentValidity } from '../../db/knowledge/documents.ts';
import { endValidity } from '../../db/knowledge/validity.ts';
import { failure } from '../../queues/contract/failure.ts';
import { readTimePage } from '../bodies/page.ts';
import type { Handler } from '../runtime/job.ts';

export const listContradictions: Handler<'listContradictions'> = job =>
  job.read(scope => readTimePage(job, order => listOpen(scope, order)));

export const resolveContradiction: Handler<'resolveContradiction'> = ({ body, caller, commit }) =>
  commit(async scope => {
    const { contradictionId, keepChunkId } = body;
    const state = keepChunkId ? 'resolved' : 'dismissed';
    const found = await findContradiction(scope, contradictionId, state);
    if (!found) return failure('contradiction-not-found');
    const kept = keepChunkId?.toLowerCase();
    if (kept && !found.sides.some(({ chunkId, isValid }) => isValid && chunkId === kept))
      return failure('chunk-not-found');
    await decideContradiction(scope, contradictionId, { state, by: caller.tokenName });
    if (kept && found.approvedId) await switchApprovedOff(scope, found.approvedId);
    const wrong = kept && found.sides.find(({ chunkId }) => chunkId !== kept);
    const until = new Date();
    if (wrong && wrong.documentId) await setDocumentValidity(scope, wrong.documentId, { until });
    else if (wrong) await endValidity(scope, wrong.chunkId, until);
    return { code: 200, data: { contradictionId, state } };
  });
