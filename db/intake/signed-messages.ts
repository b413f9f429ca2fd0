import type { Db } from '../connection.ts';
import { deleteInBatches } from '../row-batch.ts';
import { rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

/*
 * Remembers signed messages of stored records, in the transaction of the records. A message is accepted within five minutes of
 * its time of signing, which may be as much in the future, so it is kept for more than ten.
 */

export interface SignedMessage {
  readonly sourceId: string;
  readonly message: string;
  readonly jobId: string;
}

const KEPT_MINUTES = 15;
const PURGE_BATCH_SIZE = 5_000;

/** Stores the messages, and returns the ids of the jobs whose message another job has stored: these are replays. */
export async function storeMessages(
  { tx, hostId }: HostScope,
  messages: readonly SignedMessage[],
): Promise<ReadonlySet<string>> {
  if (messages.length === 0) return new Set();
  // Sorted, so that concurrent replays wait for each other in one order.
  const sorted = messages.toSorted((a, b) => (a.message < b.message ? -1 : 1));
  const lists = [
    sorted.map(each => each.sourceId),
    sorted.map(each => each.message),
    sorted.map(each => each.jobId),
  ];
  const [sources, texts, jobs] = lists as [string[], string[], string[]];
  const own = await rowsOf<{ jobId: string }>(tx)`
    insert into signed_messages (host_id, source_id, message, job_id)
    select ${hostId}, source_id, message, job_id
    from unnest(${sources}::uuid[], ${texts}::text[], ${jobs}::text[]) sent_message (source_id, message, job_id)
    on conflict do nothing returning job_id as "jobId"`;
  if (own.length === messages.length) return new Set();
  // A job that runs again stored its message the first time.
  const earlier = await rowsOf<{ jobId: string }>(tx)`
    select stored_message.job_id as "jobId"
    from unnest(${sources}::uuid[], ${texts}::text[], ${jobs}::text[]) sent_message (source_id, message, job_id)
    join signed_messages stored_message using (source_id, message, job_id) where stored_message.host_id = ${hostId}`;
  const stored = new Set(earlier.map(({ jobId }) => jobId));
  return new Set(jobs.filter(jobId => !stored.has(jobId)));
}

/** Deletes messages of all hosts that are too old to be accepted again, and returns their number. Works as the owner. */
export function purgeSignedMessages(db: Db): Promise<number> {
  return deleteInBatches(db, {
    table: sql`signed_messages`,
    where: sql`created_at < now() - ${KEPT_MINUTES} * interval '1 minute'`,
    limit: PURGE_BATCH_SIZE,
  });
}
