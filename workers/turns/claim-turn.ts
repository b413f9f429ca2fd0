import { bulkhead } from 'cockatiel';
import type { Db } from '../../db/connection.ts';
import { abandonTurn, type HeldTurn, renewLeases, type TurnClaim } from '../../db/turns.ts';
import { type HostScope, withHost } from '../../db/with-hosts.ts';
import type { KnowledgeFinder } from '../retrieval/find-knowledge.ts';
import type { HandlerJob } from '../runtime/job.ts';
import { CLAIMS_AT_ONCE, type Pools } from '../runtime/pools.ts';
import { type Opening, openTurn } from './open-turn.ts';
import type { TurnInput } from './turn-input.ts';
import { makeTurnLine } from './turn-line.ts';

/**
 * Gets a turn the sole right to its conversation. The database decides, over all processes, and every turn tells it
 * at once that it is there: who came first goes first only among those it knows. A turn that waits holds a job of its
 * worker, so the worker takes one more meanwhile.
 */
export interface TurnClaims {
  /** Runs `work` with what came of the claim; whoever comes next for this conversation waits until it ends. */
  withClaim<T>(
    job: HandlerJob<'reason'>,
    input: TurnInput,
    work: (opening: Opening) => Promise<T>,
  ): Promise<T>;
  close(): void;
}

/** A dead worker holds its conversation up for this long; the queue gives its job to another after about as long. */
const LEASE_MS = 8_000;
const ASK_AGAIN_MS = 150;
/** An answer is stored only while there is time to tell it: at the deadline whoever asks is told that there is none. */
export const TELLING_MS = 100;

export function makeTurnClaims(
  { turns: db, leases }: Pick<Pools, 'turns' | 'leases'>,
  findKnowledge: KnowledgeFinder,
  onError: (error: Error) => void,
): TurnClaims {
  const line = makeTurnLine({ askAgainMs: ASK_AGAIN_MS, stayKnownMs: LEASE_MS / 2 });
  const room = bulkhead(CLAIMS_AT_ONCE, Number.POSITIVE_INFINITY);
  const held = new Map<string, HeldTurn>();
  const renew = async () => {
    if (held.size > 0) await renewLeases(leases, [...held.values()], LEASE_MS);
  };
  const timer = setInterval(() => void renew().catch(onError), LEASE_MS / 4);

  async function waitForClaim(job: HandlerJob<'reason'>, open: () => Promise<Opening>): Promise<Opening> {
    const { jobId, hostId, arrivedAt, signal, body } = job;
    const place = { jobId, arrivedAt, signal, conversationId: body.conversationId };
    const stepBack = job.lendSlot();
    try {
      return await line.wait(place, async () => {
        const opening = await open();
        return opening.kind === 'busy' ? undefined : opening;
      });
    } catch (error) {
      // Given up before it ever ran: what was asked is kept all the same.
      await withHost(db, hostId, scope => abandonTurn(scope, { jobId, attempt: 0 })).catch(onError);
      throw error;
    } finally {
      stepBack();
    }
  }

  return {
    async withClaim(job, input, work) {
      const { jobId, hostId, body } = job;
      const open = () => room.execute(() => claim(db, job, input, findKnowledge), job.signal);
      const first = await open();
      const opening = first.kind === 'busy' ? await waitForClaim(job, open) : first;
      if (opening.kind !== 'claimed') return work(opening);
      held.set(jobId, { hostId, jobId, attempt: opening.attempt });
      line.begin(body.conversationId);
      try {
        return await work(opening);
      } finally {
        held.delete(jobId);
        line.end(body.conversationId);
      }
    },
    close: () => clearInterval(timer),
  };
}

function claim(
  db: Db,
  job: HandlerJob<'reason'>,
  input: TurnInput,
  findKnowledge: KnowledgeFinder,
): Promise<Opening> {
  const wanted: TurnClaim = {
    jobId: job.jobId,
    conversationId: job.body.conversationId,
    arrivedAt: job.arrivedAt,
    remainingMs: () => job.remainingMs() - TELLING_MS,
    question: input.question,
    isRehearsal: job.body.reasoningConfig?.rehearsal ?? false,
    leaseMs: LEASE_MS,
  };
  return withHost(db, job.hostId, (scope: HostScope) => openTurn(scope, job, input, wanted, findKnowledge));
}
