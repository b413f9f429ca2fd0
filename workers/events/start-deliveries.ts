import type { Registry } from 'prom-client';
import { connect, type Db } from '../../db/connection.ts';
import {
  type AttemptResult,
  type ClaimedDelivery,
  claimDeliveries,
  disableWebhook,
  findDispatches,
  releaseDeliveries,
} from '../../db/events/deliveries.ts';
import { batchCalls, upTo } from '../../platform/batch.ts';
import type { Seal } from '../../platform/seal.ts';
import { ownQueues } from '../../queues/contract/queues.ts';
import type { Backend } from '../../queues/transport/backend.ts';
import type { JobHandler } from '../../queues/transport/consumer.ts';
import { type OwnJob, openOwnJobs } from '../../queues/transport/own-job.ts';
import type { TaskFailureLog } from '../runtime/outage-logs.ts';
import { openEgress } from '../tools/egress.ts';
import { makeWebhookSeal } from '../tools/webhook-secrets.ts';
import { type AttemptParts, attemptDelivery } from './attempt-delivery.ts';
import { makeDeliveryMetrics } from './delivery-metrics.ts';
import { startRelay } from './relay.ts';
import { sendLimits } from './send-event.ts';
import { storeResults } from './store-results.ts';

export interface DeliverySettings {
  readonly databaseUrl: string;
  readonly secretKey: string;
  /** Allows tenants to use private addresses. */
  readonly egressAllowPrivate?: boolean | undefined;
}

interface DeliveryParts {
  readonly backend: Backend;
  /** Of jobs. */
  readonly seal: Seal;
  readonly registry: Registry;
  readonly onTaskFailed: TaskFailureLog;
}

export interface Deliveries {
  /** Of the jobs of the queue `deliveries`. */
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
  // Of all claims: hosts may have the same receiver, and an attempt must not wait for those of others.
  const egress = openEgress({ allowPrivate, maxConnections: slots });
  const parts = { egress, seal: makeWebhookSeal(secretKey), ...makeStore(db) };
  const count = makeDeliveryMetrics(registry, db);
  const jobs = openOwnJobs(backend, 'deliveries', seal);
  const closing = new AbortController();
  const relay = startRelay({
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
