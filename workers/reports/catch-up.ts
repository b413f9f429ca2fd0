import { setTimeout as delay } from 'node:timers/promises';
import { type Db, isDatabaseOutage } from '../../db/connection.ts';
import { isStatementCancelled } from '../../platform/error-reason.ts';

/*
 * Some reports count events that are noted as they happen and counted in batches: in the background for all hosts, and before a
 * report for its host, so that it is up to date. One transaction counts for a host at a time. Nobody waits for another's while
 * holding a connection, and a report waits for a limited time only: then it shows what is counted.
 */

/** `full`: there may be more. `busy`: another transaction of the host counts. */
export type BatchEnd = 'done' | 'full' | 'busy';

export type Batch = (db: Db, hostId: string) => Promise<BatchEnd>;

const MAX_BATCHES = 4;
/** All pauses together take longer than an ordinary batch; the reports of a host wait for this one, too. */
const MAX_PAUSES = 10;
const PAUSE_MS = 30;

/** Counts what this host has left, as far as a report waits for it and it can be counted. */
export async function catchUp(db: Db, hostId: string, count: Batch, signal?: AbortSignal): Promise<void> {
  const tries = { full: MAX_BATCHES, busy: MAX_PAUSES };
  while (tries.full > 0 && tries.busy > 0) {
    const end = await count(db, hostId).catch((error: unknown): BatchEnd => {
      if (isStatementCancelled(error)) return 'done';
      throw error;
    });
    if (end === 'done') return;
    tries[end] -= 1;
    if (end === 'busy') await delay(PAUSE_MS, undefined, { signal });
  }
}

/**
 * Counts what all hosts have left, a batch of each in turn, so that one which keeps writing holds up no other. A host whose
 * batch fails is left out, and the first failure is thrown at the end.
 */
export async function catchUpAll(
  db: Db,
  listHosts: () => Promise<readonly string[]>,
  count: Batch,
  signal: AbortSignal,
): Promise<void> {
  const failures = new Map<string, unknown>();
  for (let isLeft = true; isLeft; ) {
    isLeft = false;
    for (const hostId of await listHosts()) {
      if (signal.aborted) return;
      if (failures.has(hostId)) continue;
      try {
        isLeft = (await count(db, hostId)) === 'full' || isLeft;
      } catch (error) {
        if (isDatabaseOutage(error)) throw error;
        failures.set(hostId, error);
      }
    }
  }
  for (const error of failures.values()) throw error;
}
