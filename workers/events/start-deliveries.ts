import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { connect, type Db, isDatabaseOutage } from '../../db/connection.ts';
import {
  type AttemptResult,
  type ClaimedDelivery,
  claimDeliveries,
  deleteEvents,
  deleteStrayDeliveries,
  disableWebhook,
  endOldDeliveries,
  findDispatches,
  noteResults,
  readDeliveryLag,
  releaseDeliveries,
  WAITS,
} from '../../db/events/deliveries.ts';
import { repeatFull } from '../../db/row-batch.ts';
import { sql } from '../../db/rows-of.ts';
import { batchCalls, upTo } from '../../platform/batch.ts';
import { DURATION_BUCKETS } from '../../platform/process-info.ts';
import type { SecretKeys } from '../../platform/seal.ts';
import { ownQueues } from '../../queues/contract/queues.ts';
import type { OwnJob } from '../../queues/transport/own-job.ts';
import { SCHEDULE_MS } from '../domain/delivery-schedule.ts';
import { type OwnQueue, type OwnQueueParts, startOwnQueue } from '../runtime/own-queue.ts';
import { type EgressSettings, egressRulesOf, openEgress } from '../tools/egress.ts';
import { makeWebhookSeal } from '../tools/webhook-secrets.ts';
import {
  type Attempt,
  type AttemptParts,
  attemptDelivery,
  MAX_RECEIVED_BYTES,
  sendLimits,
} from './attempt-delivery.ts';

export interface DeliverySettings extends EgressSettings, SecretKeys {
  readonly databaseUrl: string;
}

interface DeliveryJobBody {
  readonly deliveryId: string;
  readonly claim: number;
}

const { connections, slots } = ownQueues.deliveries;
const WAIT_FOR_CONNECTION_MS = 10_000;
const CLAIM_EVERY_MS = 200;
/** The lease outlasts an attempt and its wait in the queue. */
const LEASE_MS = 45_000;
/** Deliveries in one statement: each may be an event of a megabyte. */
const MAX_TOGETHER = 50;
/** An attempt that begins with less time left might outlive its claim. */
const ATTEMPT_MS = sendLimits.timeoutMs + sendLimits.drainMs + 2_000;
const claimLimits = { perLane: 40, perHost: 160, inAll: slots, leaseMs: LEASE_MS };

export function startDeliveries(parts: OwnQueueParts, settings: DeliverySettings): OwnQueue {
  const db = connect(settings.databaseUrl, {
    max: connections,
    applicationName: 'parley-deliveries',
    acquireWithinMs: WAIT_FOR_CONNECTION_MS,
    // A lost claim or result is repeated, with the same id.
    mayLoseLast: true,
  });
  // All claims share one agent: hosts may have the same receiver, and an attempt must not wait for the attempts of others.
  const egress = openEgress({ ...egressRulesOf(settings), maxConnections: slots });
  const attemptParts = {
    egress: egress.files(MAX_RECEIVED_BYTES),
    seal: makeWebhookSeal(settings),
    ...makeStore(db),
  };
  const count = makeDeliveryMetrics(parts.registry, db);
  return startOwnQueue<ClaimedDelivery>('deliveries', parts, {
    db,
    egress,
    everyMs: CLAIM_EVERY_MS,
    // Each claim has one job. An earlier job that turns up after all stores nothing.
    find: async () => (await claimDeliveries(db, claimLimits)) ?? [],
    jobOf,
    release: deliveries => releaseDeliveries(db, deliveries),
    async handle({ body, caller: { hostIds }, signal, remainingMs }) {
      const { deliveryId: id, claim } = body as DeliveryJobBody;
      const isLate = remainingMs() < ATTEMPT_MS;
      const claimed = { hostId: hostIds[0] ?? '', id, claim };
      const attempt = isLate
        ? ({ outcome: 'stale' } as const)
        : await attemptDelivery(attemptParts, claimed, signal);
      count(attempt);
      return { code: 200, data: { outcome: attempt.outcome } };
    },
  });
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
 * Stores results together, and each alone if that fails: a deleted webhook, locked rows, or a result that the database refuses
 * must not cost other hosts' results. Without the database all fail at once, and their claims expire.
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
    help: 'Deliveries that are due and wait for an attempt, except for webhooks that keep failing',
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

const KEPT_DAYS = 30;
const BATCH_SIZE = 1_000;

/** Ends deliveries whose schedule is over, deletes deliveries of deleted webhooks, and deletes old events with their deliveries. */
export async function purgeDeliveries(db: Db, signal: AbortSignal): Promise<void> {
  const old = sql`created_at < now() - ${KEPT_DAYS} * interval '1 day' and not ${WAITS}`;
  await repeatFull(BATCH_SIZE, () => endOldDeliveries(db, SCHEDULE_MS, BATCH_SIZE), signal);
  await repeatFull(BATCH_SIZE, () => deleteStrayDeliveries(db, BATCH_SIZE), signal);
  await repeatFull(BATCH_SIZE, () => deleteEvents(db, old, BATCH_SIZE), signal);
}
