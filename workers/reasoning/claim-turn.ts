import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../../db/connection.ts';
import { type HeldTurn, renewLeases, type TurnClaim } from '../../db/turns.ts';
import { type HostScope, withHost } from '../../db/with-hosts.ts';
import type { HandlerJob } from '../job.ts';
import type { TurnInput } from './turn-input.ts';
import { type Opening, openTurn } from './open-turn.ts';
import { makeTurnLine, type TurnLine } from './turn-line.ts';

/**
 * Gets a turn the sole right to its conversation. Turns of one process stand in line in memory; over all processes
 * the database decides, and is input again while another process has the conversation. A turn that waits holds a
 * job of its worker, so the worker takes one more meanwhile.
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

export function makeTurnClaims(db: Db, onError: (error: Error) => void): TurnClaims {
  const line = makeTurnLine();
  const held = new Map<string, HeldTurn>();
  const renew = async () => {
    if (held.size > 0) await renewLeases(db, [...held.values()], LEASE_MS);
  };
  const timer = setInterval(() => void renew().catch(onError), LEASE_MS / 4);
  return {
    async withClaim(job, input, work) {
      const { jobId, hostId } = job;
      const leave = await inLine(line, job);
      try {
        const opening = await claim(db, job, input);
        if (opening.kind === 'claimed') held.set(jobId, { hostId, jobId, attempt: opening.attempt });
        return await work(opening);
      } finally {
        held.delete(jobId);
        leave();
      }
    },
    close: () => clearInterval(timer),
  };
}

async function inLine(line: TurnLine, job: HandlerJob<'reason'>): Promise<() => void> {
  const { conversationId } = job.body;
  const enter = () => line.enter(conversationId, job.arrivedAt, job.signal);
  return line.isFree(conversationId) ? enter() : aside(job, enter);
}

async function claim(db: Db, job: HandlerJob<'reason'>, input: TurnInput): Promise<Opening> {
  const wanted: TurnClaim = {
    jobId: job.jobId,
    conversationId: job.body.conversationId,
    arrivedAt: job.arrivedAt,
    // The store's clock and this machine's may differ; the span does not.
    deadline: new Date(Date.now() + job.remainingMs()),
    question: input.question,
    leaseMs: LEASE_MS,
  };
  const open = () => withHost(db, job.hostId, (scope: HostScope) => openTurn(scope, job, input, wanted));
  const first = await open();
  if (first.kind !== 'busy') return first;
  return aside(job, async () => {
    for (;;) {
      await delay(ASK_AGAIN_MS, undefined, { signal: job.signal });
      const next = await open();
      if (next.kind !== 'busy') return next;
    }
  });
}

/** While a turn only waits, its worker may take another job. */
async function aside<T>(job: HandlerJob<'reason'>, wait: () => Promise<T>): Promise<T> {
  const stepBack = job.stepAside();
  return wait().finally(stepBack);
}
