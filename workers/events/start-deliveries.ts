import { setTimeout as delay } from 'node:timers/promises';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { connect, type Db, isDatabaseOutage } from '../../db/connection.ts';
import {
  type AttemptResult,
  type ClaimedDelivery,
  claimDeliveries,
  disableWebhook,
  findDispatches,
  noteResults,
  readDeliveryLag,
  releaseDeliveries,
} from '../../db/events/deliveries.ts';
import { batchCalls, upTo } from '../../platform/batch.ts';
import { DURATION_BUCKETS } from '../../platform/duration-buckets.ts';
import { linkSignals } from '../../platform/link-signals.ts';
import type { TaskFailureLog } from '../../platform/outage-log.ts';
import type { Seal, SecretKeys } from '../../platform/seal.ts';
import { ownQueues } from '../../queues/contract/queues.ts';
import type { Backend } from '../../queues/transport/backend.ts';
import type { JobHandler } from '../../queues/transport/consumer.ts';
import { type OwnJob, openOwnJobs } from '../../queues/transport/own-job.ts';
import { type EgressSettings, egressRulesOf, openEgress } from '../tools/egress.ts';
import { makeWebhookSeal } from '../tools/webhook-secrets.ts';
import { type Attempt, type AttemptParts, attemptDelivery, sendLimits } from './attempt-delivery.ts';

export interface DeliverySettings extends EgressSettings, SecretKeys {
  readonly databaseUrl: string;
}

interface DeliveryParts {
  readonly backend: Backend;
  /** The seal of jobs. */
  readonly seal: Seal;
  readonly registry: Registry;
  readonly onTaskFailed: TaskFailureLog;
}

export interface Deliveries {
  /** Handles the jobs of the queue `deliveries`. */
  readonly handler: JobHandler;
  /** Adds no more jobs. */
  stop(): Promise<void>;
  /** When no job runs any more. */
  close(): Promise<void>;
}

/** What a job of the queue attempts. */
interface DeliveryJobBody {
  readonly deliveryId: string;
  readonly claim: number;
}

const { connections, slots } = ownQueues.deliveries;
const WAIT_FOR_CONNECTION_MS = 10_000;
/** Longer than an attempt and its wait in the queue. */
const LEASE_MS = 45_000;
/** Read in one statement: each may be an event of a megabyte. */
const MAX_TOGETHER = 50;
/** An attempt that begins later might outlive its claim. */
const ATTEMPT_MS = sendLimits.timeoutMs + sendLimits.drainMs + 2_000;
const claimLimits = { perLane: 40, perHost: 160, inAll: slots, leaseMs: LEASE_MS };

export function startDeliveries(
  { backend, seal, registry, onTaskFailed }: DeliveryParts,
  settings: DeliverySettings,
): Deliveries {
  const db = connect(settings.databaseUrl, {
    max: connections,
    applicationName: 'parley-deliveries',
    acquireWithinMs: WAIT_FOR_CONNECTION_MS,
    // A lost claim or result is repeated, with the same id.
    mayLoseLast: true,
  });
  // All claims share it: hosts may have the same receiver, and an attempt must not wait for those of others.
  const egress = openEgress({ ...egressRulesOf(settings), maxConnections: slots });
  const parts = { egress, seal: makeWebhookSeal(settings), ...makeStore(db) };
  const count = makeDeliveryMetrics(registry, db);
  const jobs = openOwnJobs(backend, 'deliveries', seal);
  const closing = new AbortController();
  const relay = startDeliveryRelay({
    claim: () => claimDeliveries(db, claimLimits),
    add: delivery => jobs.add(jobOf(delivery)),
    release: deliveries => releaseDeliveries(db, deliveries),
    isReady: backend.isReady,
    onError: error => onTaskFailed(error, 'deliveries.relay_failed', 'failed to look for due deliveries'),
    stop: closing.signal,
  });
  return {
    handler: {
      async handle({ body, caller: { hostIds }, signal, remainingMs }) {
        const { deliveryId: id, claim } = body as DeliveryJobBody;
        const isLate = remainingMs() < ATTEMPT_MS;
        const claimed = { hostId: hostIds[0] ?? '', id, claim };
        const attempt = isLate
          ? ({ outcome: 'stale' } as const)
          : await attemptDelivery(parts, claimed, signal);
        count(attempt);
        relay.wake();
        return { code: 200, data: { outcome: attempt.outcome } };
      },
      storeOutcome: async () => {},
    },
    async stop() {
      closing.abort();
      await relay.ended;
    },
    async close() {
      await Promise.all([egress.close(), jobs.close(), db.destroy()]);
    },
  };
}

function makeStore(db: Db): Omit<AttemptParts, 'egress' | 'seal'> {
  return {
    find: batchCalls({
      startBatch: upTo<ClaimedDelivery>(MAX_TOGETHER),
      makeCalls: claimed => findDispatches(db, claimed),
    }),
    store: makeResultStore(db),
    release: claimed => releaseDeliveries(db, [claimed]),
    disable: (hostId, webhookId, url) => disableWebhook(db, hostId, webhookId, url),
  };
}

function jobOf({ hostId, id, claim }: ClaimedDelivery): OwnJob {
  const body: DeliveryJobBody = { deliveryId: id, claim };
  return { jobId: `d${id.replaceAll('-', '')}-${claim}`, requestId: id, hostId, body };
}

/**
 * Stores results together, and each alone where that fails: a webhook that is deleted meanwhile, rows that somebody has locked, or
 * a result that the database refuses must not cost the results of other hosts. Without the database all fail at once: their claims
 * last for a while only.
 */
export function makeResultStore(db: Db): AttemptParts['store'] {
  return batchCalls<AttemptResult, void>({
    startBatch: upTo(MAX_TOGETHER),
    async makeCalls(results) {
      await noteResults(db, results);
      return [];
    },
    mayCallAlone: error => !isDatabaseOutage(error),
    maxAlone: MAX_TOGETHER,
  });
}

/** Returns a function that counts an attempt. */
function makeDeliveryMetrics(registry: Registry, db: Db): (attempt: Attempt) => void {
  const registers = [registry];
  const attempts = new Counter({
    name: 'parley_delivery_attempts_total',
    help: 'Attempts to deliver an event: delivered, failed (tried again later), dead (the last one), or stale (not made)',
    labelNames: ['outcome'],
    registers,
  });
  const first = new Histogram({
    name: 'parley_delivery_first_attempt_seconds',
    help: 'Time from an event, or its replay, to the first attempt to deliver it',
    buckets: DURATION_BUCKETS,
    registers,
  });
  const due = new Gauge({
    name: 'parley_deliveries_due',
    help: 'Deliveries that are due and wait for an attempt, except those of webhooks that keep failing',
    registers,
  });
  const lag: Gauge = new Gauge({
    name: 'parley_delivery_lag_seconds',
    help: 'How long the oldest of them has been due',
    registers,
    async collect(): Promise<void> {
      const seen = await readDeliveryLag(db);
      due.set(seen.due);
      lag.set(seen.lagMs / 1_000);
    },
  });
  return ({ outcome, firstMs }) => {
    attempts.inc({ outcome });
    if (firstMs !== undefined) first.observe(Math.max(firstMs, 0) / 1_000);
  };
}

/*
 * The relay brings what is due from the database into the queue.
 *
 *   claiming ──▶ adding ──▶ resting ──▶ claiming …
 *
 * - claiming: one process at a time, over all workers.
 * - adding: one job for each claim. Where the queue store fails, its claims are released; where this process dies, they
 *   expire. Both are due again then, with another claim, so an earlier job that turns up after all stores nothing.
 * - resting: until the next poll. An attempt that has ended wakes it earlier, because its lane has room again: but not
 *   before as long as the last claim took, so that claiming is never all that the database does.
 */

interface DueDeliveries {
  /** Undefined where another process is claiming. */
  claim(): Promise<ClaimedDelivery[] | undefined>;
  add(delivery: ClaimedDelivery): Promise<void>;
  release(deliveries: readonly ClaimedDelivery[]): Promise<void>;
  /** Whether the queue store takes jobs. */
  isReady(): boolean;
  onError(error: unknown): void;
  readonly stop: AbortSignal;
}

interface DeliveryRelay {
  /** Something may be due. */
  wake(): void;
  /** Resolves when it has stopped. */
  readonly ended: Promise<void>;
}

const POLL_MS = 200;
const [MIN_REST_MS, MAX_REST_MS] = [10, 50];
const AFTER_ERROR_MS = 1_000;

function startDeliveryRelay(parts: DueDeliveries): DeliveryRelay {
  const { stop } = parts;
  let isWoken = false;
  let endRest = () => {};

  async function rest(leastMs: number, mostMs: number): Promise<void> {
    await sleep(leastMs, stop);
    if (isWoken || stop.aborted) return;
    const rested = new AbortController();
    endRest = () => rested.abort();
    using linked = linkSignals(rested.signal, stop);
    await sleep(mostMs - leastMs, linked.signal);
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
