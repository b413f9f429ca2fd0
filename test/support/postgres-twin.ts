import { FINISHED_JOB_SECONDS } from '../../queues/transport/job-limits.ts';
import type { TestDatabase } from './database.ts';
import { readQueueRows } from './queue-rows.ts';
import { RENEWED_MS, type TwinStore } from './queue-twin.ts';

export interface PostgresTwin extends TwinStore {
  readonly db: TestDatabase['db'];
}

const ofTurns = { queue: 'turns' };

export function makePostgresTwin({ db, url }: TestDatabase): PostgresTwin {
  const jobs = () => db('bullmq.job').where(ofTurns);
  return {
    db,
    address: { databaseUrl: url },
    prolongLocks: async ids =>
      jobs()
        .whereIn('id', ids)
        .where('locked_until_ms', '>', 0)
        .update({ locked_until_ms: Date.now() + RENEWED_MS }),
    loseLock: async id => jobs().where({ id, state: 'active' }).update({ locked_until_ms: 0 }),
    dropWake: async () => {},
    forgetStallCheck: async () =>
      db('bullmq.meta')
        .where({ ...ofTurns, field: 'stalled-check' })
        .delete(),
    async sortStalled(ids) {
      for (const id of ids)
        await jobs()
          .where({ id })
          .update({ seq: db.raw(`nextval('bullmq.job_seq')`) });
    },
    age: async () =>
      jobs()
        .where({ state: 'completed' })
        .update({ finished_at_ms: Date.now() - 2 * FINISHED_JOB_SECONDS * 1_000 }),
    read: () => readQueueRows(db),
    close: async () => {},
  };
}
