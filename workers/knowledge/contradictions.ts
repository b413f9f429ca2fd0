import { deleteChunk } from '../../db/knowledge/chunks.ts';
import {
  decideContradiction,
  findOpenContradiction,
  listContradictions as listOpen,
  type OpenContradiction,
} from '../../db/knowledge/contradictions.ts';
import { failure, isFailure } from '../../queues/contract/failure.ts';
import { readTimePage } from '../bodies/page.ts';
import type { Handler } from '../runtime/job.ts';

export const listContradictions: Handler<'listContradictions'> = job =>
  job.read(async scope => {
    const page = await readTimePage(job, order => listOpen(scope, order));
    return isFailure(page) ? page : { code: 200, data: page };
  });

export const resolveContradiction: Handler<'resolveContradiction'> = ({ body, caller, commit }) =>
  commit(async scope => {
    const { contradictionId, keepChunkId } = body;
    const found = await findOpenContradiction(scope, contradictionId);
    if (!found) return failure('contradiction-not-found');
    const wrong = keepChunkId && otherOf(found, keepChunkId.toLowerCase());
    if (keepChunkId && !wrong) return failure('chunk-not-found');
    const state = wrong ? 'resolved' : 'dismissed';
    await decideContradiction(scope, contradictionId, { state, by: caller.tokenName });
    if (wrong) await deleteChunk(scope, wrong);
    return { code: 200, data: { contradictionId, state } };
  });

function otherOf({ chunkId, otherChunkId }: OpenContradiction, kept: string): string | undefined {
  if (kept === chunkId) return otherChunkId;
  return kept === otherChunkId ? chunkId : undefined;
}
