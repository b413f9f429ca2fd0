import { setTimeout as delay } from 'node:timers/promises';
import { type Db, isDatabaseUnavailable } from '../../db/connection.ts';
import { renewLeases } from '../../db/conversations/turns.ts';
import { withHost } from '../../db/with-hosts.ts';
import { LEASE_MS, REPLY_MARGIN_MS } from './claim.ts';
import type { ClaimedTurn } from './turn.ts';

const AGAIN_MS = 100;

/**
 * Repeats until the deadline what the database could not do because it was away, or because a statement waited too long: the
 * answer, or the words of a recording, are already paid for. The lease is renewed in between, because it was not while the turn
 * was locked.
 */
export async function untilDeadline<T>(
  db: Db,
  { job, attempt }: ClaimedTurn,
  work: () => Promise<T>,
): Promise<T> {
  const { hostId, turnId } = job;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseUnavailable(error) || job.remainingMs() <= REPLY_MARGIN_MS) throw error;
      const leased = [{ hostId, turnId, attempt }];
      await withHost(db, hostId, ({ tx }) => renewLeases(tx, leased, LEASE_MS)).catch(() => undefined);
      await delay(AGAIN_MS);
    }
  }
}
