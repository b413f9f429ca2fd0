import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Db } from '../../db/connection.ts';
import { readDeliveryLag } from '../../db/events/deliveries.ts';
import { DURATION_BUCKETS } from '../../platform/duration-buckets.ts';
import type { Attempt } from './attempt-delivery.ts';

/** Returns a function that counts an attempt. */
export function makeDeliveryMetrics(registry: Registry, db: Db): (attempt: Attempt) => void {
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
