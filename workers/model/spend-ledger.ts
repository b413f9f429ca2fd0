import { randomUUID } from 'node:crypto';
import type { Db } from '../../db/connection.ts';
import { recordSpend, reserveSpend, type SpentCall } from '../../db/hosts/spend.ts';
import { Gate } from '../../platform/gate.ts';
import { repeat } from '../../platform/repeat.ts';
import type { TaskFailureLog } from '../runtime/outage-logs.ts';
import { LEDGER_LIMITS } from '../runtime/pools.ts';
import { OFFLINE_MODEL } from './models.ts';
import {
  LedgerError,
  type ModelPrices,
  type PlannedCall,
  type Spender,
  type SpendLedger,
  SpendRefusedError,
} from './spender.ts';

/*
 * What each call of a model costs. A call of a host with a budget reserves the most that it can cost, in one statement,
 * and is recorded before its answer is used: when the process dies in between, the reservation ends with the next attempt
 * of the turn, or expires. Calls of other hosts are recorded together, at the latest after a second. A recording that fails
 * is repeated.
 */

export interface LedgerOptions {
  readonly db: Db;
  readonly prices: ModelPrices;
  readonly onTaskFailed: TaskFailureLog;
}

const RECORD_EVERY_MS = 1_000;
const MAX_BATCH = 500;
/** For the recording, after a call has taken all the time that it may. */
const MARGIN_MS = 30_000;

export function makeSpendLedger({ db, prices, onTaskFailed }: LedgerOptions): SpendLedger {
  const gate = new Gate(LEDGER_LIMITS);
  const recorder = makeRecorder(db, onTaskFailed);
  const priceOf = (model: string) => {
    if (Object.hasOwn(prices, model)) return prices[model];
    return model === OFFLINE_MODEL ? 0 : undefined;
  };

  async function reserve(
    spender: Spender,
    { model, maxTokens, signal }: PlannedCall,
    { callId, price }: { readonly callId: string; readonly price: number | undefined },
  ): Promise<void> {
    const { hostId, turn, remainingMs } = spender;
    if (price === undefined) return refuse(spender, { kind: 'no-price', model });
    const lastsMs = Math.max(0, remainingMs()) + MARGIN_MS;
    const reservation = { callId, tokens: maxTokens(), price: String(price), turn, lastsMs };
    // One connection for each host: those who wait for the lock of one host stop no other.
    const retryAfter = await gate.run({ key: hostId, signal }, () =>
      reserveSpend(db, hostId, reservation).catch(cause => {
        throw new LedgerError('failed to reserve spend', { cause });
      }),
    );
    if (retryAfter !== undefined) refuse(spender, { kind: 'over-budget', retryAfter });
  }

  return {
    priceOf,
    async open(spender, call) {
      const { hostId, avatarId = '', hasBudget } = spender;
      const { model, purpose, maxTokens } = call;
      const price = purpose === 'embedding' ? (priceOf(model) ?? 0) : priceOf(model);
      const callId = randomUUID();
      const startedAt = performance.now();
      const isReserved = hasBudget && price !== 0;
      if (isReserved) await reserve(spender, call, { callId, price });
      const account = { hostId, callId, model, avatarId, purpose, price: String(price ?? 0), startedAt };
      let isSettled = false;
      return {
        async settle(reported) {
          const tokens = reported ?? maxTokens();
          if (isSettled || (tokens === 0 && !isReserved)) return;
          isSettled = true;
          await recorder.add({ ...account, tokens, isEstimated: reported === undefined }, isReserved);
        },
      };
    },
    close: () => recorder.close(),
  };
}

function refuse(spender: Spender, refusal: NonNullable<Spender['refusal']>): never {
  // That the budget is used up explains more than a fallback without a price.
  if (spender.refusal?.kind !== 'over-budget') spender.refusal = refusal;
  throw new SpendRefusedError(spender.hostId, refusal);
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
  /** Records all that waits when it begins, after what runs. */
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
    /** `isUrgent`: resolves when it is recorded, or failed once and waits to be repeated. */
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
