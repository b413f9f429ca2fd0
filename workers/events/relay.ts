import { setTimeout as delay } from 'node:timers/promises';
import type { ClaimedDelivery } from '../../db/events/deliveries.ts';

/*
 * Brings what is due from the database into the queue.
 *
 *   claiming ──▶ adding ──▶ resting ──▶ claiming …
 *
 * - claiming: one process at a time, over all workers.
 * - adding: one job for each claim. Where the queue store fails, its claims are released; where this process dies, they
 *   expire. Both are due again then, with another claim, so an earlier job that turns up after all stores nothing.
 * - resting: until the next poll. An attempt that has ended wakes it earlier, because its lane has room again: but not
 *   before as long as the last claim took, so that claiming is never all that the database does.
 */

export interface DueDeliveries {
  /** Undefined where another process is claiming. */
  claim(): Promise<ClaimedDelivery[] | undefined>;
  add(delivery: ClaimedDelivery): Promise<void>;
  release(deliveries: readonly ClaimedDelivery[]): Promise<void>;
  /** Whether the queue store takes jobs. */
  isReady(): boolean;
  onError(error: unknown): void;
  readonly stop: AbortSignal;
}

export interface DeliveryRelay {
  /** Something may be due. */
  wake(): void;
  /** Resolves when it has stopped. */
  readonly ended: Promise<void>;
}

const POLL_MS = 200;
const [MIN_REST_MS, MAX_REST_MS] = [10, 50];
const AFTER_ERROR_MS = 1_000;

export function startDeliveryRelay(parts: DueDeliveries): DeliveryRelay {
  const { stop } = parts;
  let isWoken = false;
  let endRest = () => {};

  async function rest(leastMs: number, mostMs: number): Promise<void> {
    await sleep(leastMs, stop);
    if (isWoken || stop.aborted) return;
    const rested = new AbortController();
    endRest = () => rested.abort();
    await sleep(mostMs - leastMs, AbortSignal.any([rested.signal, stop]));
  }

  async function run(): Promise<void> {
    while (!stop.aborted) {
      isWoken = false;
      const startedAt = performance.now();
      try {
        if (parts.isReady()) await moveDue(parts);
        await rest(Math.min(Math.max(MIN_REST_MS, performance.now() - startedAt), MAX_REST_MS), POLL_MS);
      } catch (error) {
        parts.onError(error);
        await sleep(AFTER_ERROR_MS, stop);
      }
    }
  }

  return {
    wake() {
      isWoken = true;
      endRest();
    },
    ended: run(),
  };
}

async function moveDue({ claim, add, release }: DueDeliveries): Promise<void> {
  const claimed = (await claim()) ?? [];
  const added = await Promise.allSettled(claimed.map(add));
  const failed = claimed.filter((_delivery, at) => added[at]?.status === 'rejected');
  if (failed.length > 0) await release(failed);
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await delay(Math.max(ms, 0), undefined, { signal }).catch(() => {});
}
