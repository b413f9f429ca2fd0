import type { Db } from '../../db/connection.ts';
import { deleteEvents, deleteStrayDeliveries, endOldDeliveries, WAITS } from '../../db/events/deliveries.ts';
import { repeatFull } from '../../db/row-batch.ts';
import { sql } from '../../db/rows-of.ts';
import { SCHEDULE_MS } from '../domain/delivery-schedule.ts';

const KEPT_DAYS = 30;
const BATCH_SIZE = 1_000;

/** Ends deliveries whose schedule is over, deletes those of deleted webhooks, and deletes old events with their deliveries. */
export async function purgeDeliveries(db: Db, signal: AbortSignal): Promise<void> {
  const old = sql`created_at < now() - ${KEPT_DAYS} * interval '1 day' and not ${WAITS}`;
  await repeatFull(BATCH_SIZE, () => endOldDeliveries(db, SCHEDULE_MS, BATCH_SIZE), signal);
  await repeatFull(BATCH_SIZE, () => deleteStrayDeliveries(db, BATCH_SIZE), signal);
  await repeatFull(BATCH_SIZE, () => deleteEvents(db, old, BATCH_SIZE), signal);
}
