import { randomUUID } from 'node:crypto';
import type { Db } from '../../db/connection.ts';
import { recordSpend, reserveSpend, type SpentCall } from '../../db/hosts/spend.ts';
import { Gate } from '../../platform/gate.ts';
import type { TaskFailureLog } from '../../platform/outage-log.ts';
import { repeat } from '../../platform/repeat.ts';
import { LEDGER_LIMITS } from '../runtime/pools.ts';
import { OFFLINE_MODEL } from './models.ts';
import { type ModelPrices, NO_TOKENS, pricingOf, type TokenUsage } from './prices.ts';
import {
  LedgerError,
  type PlannedCall,
  type Spender,
  type SpendLedger,
  SpendRefusedError,
} from './spender.ts';
import type { MeasuredUsage } from './usage-meter.ts';

/*
 * Records what each model call costs. For a host with a budget, a call reserves the most that it can cost, in one statement,
 * and is recorded before its answer is used: when the process dies in between, the reservation ends with the next attempt of
 * the turn, or expires. Calls of other hosts are recorded together, at the latest after a second. A recording that fails is
 * repeated.
 */

export interface LedgerOptions {
  readonly db: Db;
  readonly prices: ModelPrices;
  readonly onTaskFailed: TaskFailureLog;
}

const RECORD_EVERY_MS = 1_000;
const MAX_BATCH = 500;
/** Time for the recording, after a call has taken all that it may. */
const MARGIN_MS = 30_000;

export function makeSpendLedger({ db, prices, onTaskFailed }: LedgerOptions): SpendLedger {
  const gate = new Gate(LEDGER_LIMITS);
  const recorder = makeRecorder(db, onTaskFailed);
  const known = new Map(
    Object.entries({ [OFFLINE_MODEL]: 0, ...prices }).map(([model, price]) => [model, pricingOf(price)]),
  );
  const amountOf = (model: string, usage: TokenUsage) => known.get(model)?.(usage);

  async function reserve(
    spender: Spender,
    { model, signal }: PlannedCall,
    { callId, amount }: { readonly callId: string; readonly amount: string | undefined },
  ): Promise<void> {
    const { hostId, turn, remainingMs } = spender;
    if (amount === undefined) throw new SpendRefusedError(hostId, { kind: 'no-price', model });
    const lastsMs = Math.max(0, remainingMs()) + MARGIN_MS;
    const reservation = { callId, amount, turn, lastsMs };
    // Each host has one connection: waiting for one host's lock stops no other host.
    const exceeded = await gate.run({ key: hostId, signal }, () =>
      reserveSpend(db, hostId, reservation).catch(cause => {
        throw new LedgerError('failed to reserve spend', { cause });
      }),
    );
    if (exceeded) throw new SpendRefusedError(hostId, { kind: 'over-budget', ...exceeded });
  }

  return {
    costOf: amountOf,
    async open(spender, call) {
      const { hostId, avatarId = '', hasBudget } = spender;
      const { model, purpose, signal, isOwn } = call;
      const callId = randomUUID();
      const startedAt = performance.now();
      const most = hasBudget && !isOwn ? amountOf(model, call.most()) : '0';
      // Embedding is allowed even if the model has no price.
      const amount = purpose === 'embedding' ? (most ?? '0') : most;
      const isReserved = amount !== '0';
      if (isReserved) await reserve(spender, call, { callId, amount });
      const account = { hostId, callId, model, avatarId, purpose, isOwn, startedAt };
      let isSettled = false;
      const settle = async (measured: MeasuredUsage | undefined) => {
        if (isSettled || !(measured || isReserved)) return;
        isSettled = true;
        const usage = measured ?? { ...NO_TOKENS, isEstimated: false };
        const cost = amountOf(model, usage) ?? '0';
        const { input, cached, output, isEstimated } = usage;
        const spent = { input, cached, output, isEstimated, cost, isBilled: measured !== undefined };
        await recorder.add({ ...account, ...spent }, isReserved);
      };
      // An aborted call is not sent, so its reservation ends here.
      if (signal.aborted) await settle(undefined);
      signal.throwIfAborted();
      return { settle };
    },
    close: () => recorder.close(),
  };
}

type Entry = Omit<SpentCall, 'ageMs'> & { readonly startedAt: number };

/** Records calls together: while one statement runs, the next ones gather. */
function makeRecorder(db: Db, onTaskFailed: TaskFailureLog) {
  const closing = new AbortController();
  let waiting: Entry[] = [];
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;

  async function record(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MAX_BATCH);
      waiting = waiting.slice(MAX_BATCH);
      const now = performance.now();
      try {
        await recordSpend(
          db,
          batch.map(({ startedAt, ...call }) => ({ ...call, ageMs: now - startedAt })),
        );
      } catch (error) {
        waiting = [...batch, ...waiting];
        throw error;
      }
    }
  }
  /** Records all that waits when it begins, after the recording that runs. */
  function recordNext(): Promise<void> {
    next ??= running
      .catch(() => {})
      .then(() => {
        next = undefined;
        running = record();
        return running;
      });
    return next;
  }
  const onError = (error: unknown) => onTaskFailed(error, 'spend.record_failed', 'failed to record spend');
  const { signal } = closing;
  const repeated = repeat(recordNext, { everyMs: RECORD_EVERY_MS, signal, onError });

  return {
    /** `isUrgent`: resolves once recorded, or once it failed and waits to be repeated. */
    async add(entry: Entry, isUrgent: boolean): Promise<void> {
      waiting.push(entry);
      if (isUrgent) await recordNext().catch(onError);
    },
    async close(): Promise<void> {
      closing.abort();
      await repeated;
      await recordNext().catch(onError);
    },
  };
}
