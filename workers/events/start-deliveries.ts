import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { connect, type Db } from '../../db/connection.ts';
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
import type { Seal } from '../../platform/seal.ts';
import { ownQueues } from '../../queues/contract/queues.ts';
import type { Backend } from '../../queues/transport/backend.ts';
import type { JobHandler } from '../../queues/transport/consumer.ts';
import { type OwnJob, openOwnJobs } from '../../queues/transport/own-job.ts';
import type { TaskFailureLog } from '../runtime/outage-logs.ts';
import { openEgress } from '../tools/egress.ts';
import { makeWebhookSeal } from '../tools/webhook-secrets.ts';
import { type Attempt, type AttemptParts, attemptDelivery } from './attempt-delivery.ts';
import { startDeliveryRelay } from './relay.ts';
import { sendLimits } from './send-event.ts';

export interface DeliverySettings {
  readonly databaseUrl: string;
  readonly secretKey: string;
  /** Allows tenants to use private addresses. */
  readonly egressAllowPrivate?: boolean | undefined;
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
  { databaseUrl, secretKey, egressAllowPrivate: allowPrivate = false }: DeliverySettings,
): Deliveries {
  const db = connect(databaseUrl, {
    max: connections,
    applicationName: 'parley-deliveries',
    acquireWithinMs: WAIT_FOR_CONNECTION_MS,
    // A lost claim or result is repeated, with the same id.
    mayLoseLast: true,
  });
  // All claims share it: hosts may have the same receiver, and an attempt must not wait for those of others.
  const egress = openEgress({ allowPrivate, maxConnections: slots });
  const parts = { egress, seal: makeWebhookSeal(secretKey), ...makeStore(db) };
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
  const store = batchCalls({
    startBatch: upTo<AttemptResult>(MAX_TOGETHER),
    makeCalls: results => storeResults(db, results),
  });
  return {
    find: batchCalls({
      startBatch: upTo<ClaimedDelivery>(MAX_TOGETHER),
      makeCalls: claimed => findDispatches(db, claimed),
    }),
    async store(result) {
      const stored = await store(result);
      if (stored.status === 'rejected') throw stored.reason;
    },
    release: claimed => releaseDeliveries(db, [claimed]),
    disable: (hostId, webhookId) => disableWebhook(db, hostId, webhookId),
  };
}

function jobOf({ hostId, id, claim }: ClaimedDelivery): OwnJob {
  const body: DeliveryJobBody = { deliveryId: id, claim };
  return { jobId: `d${id.replaceAll('-', '')}-${claim}`, requestId: id, hostId, body };
}

/**
 * Stores results together, and each alone where that fails: a webhook that is deleted meanwhile, or a result that the
 * database refuses, must not cost the results of other hosts. In the same order.
 */
export async function storeResults(
  db: Db,
  results: readonly AttemptResult[],
): Promise<PromiseSettledResult<void>[]> {
  const together = await settle(noteResults(db, results));
  if (together.status === 'fulfilled' || results.length === 1) return results.map(() => together);
  return Promise.allSettled(results.map(result => noteResults(db, [result])));
}

async function settle(work: Promise<void>): Promise<PromiseSettledResult<void>> {
  const [settled] = await Promise.allSettled([work]);
  return settled;
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
