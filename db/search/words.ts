import { rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

const PAGE_SIZE = 2_000;

/** The words of a page that were looked at. */
export interface WordPage {
  readonly deleted: number;
  /** The last of them; undefined where there are none behind it. */
  readonly last: string | undefined;
}

/**
 * Deletes those of the next words of the host that no record of its index contains. Works as the owner.
 *
 * A transaction that indexes a record finds a word in the list and does not store it, and this one does not see that record yet. So
 * both lock the words of the host, the former shared (`store_search_words`), and what is deleted was looked at under the lock.
 */
export async function deleteUnusedWords({ tx, hostId }: HostScope, after = ''): Promise<WordPage> {
  // The collation is that of the index, which is otherwise not used.
  await tx.raw('set local enable_seqscan = off');
  const key = sql`array[left(${hostId}, 8) || '1' || known_word.word collate "default"]`;
  // The sample finds common words quickly.
  const isUnused = sql`not exists (
      select from search_records where is_sampled(origin_id) and search_keys(host_id, vector) @> ${key})
    and not exists (select from search_records where search_keys(host_id, vector) @> ${key})`;
  const page = await rowsOf<{ word: string; isUnused: boolean }>(tx)`
    select word, (${isUnused}) as "isUnused" from search_host_words known_word
    where host_id = ${hostId} and word > ${after} order by word limit ${PAGE_SIZE}`;
  const last = page.length === PAGE_SIZE ? page.at(-1)?.word : undefined;
  const unused = page.flatMap(({ word, isUnused }) => (isUnused ? word : []));
  if (unused.length === 0) return { deleted: 0, last };
  await rowsOf(tx)`select pg_advisory_xact_lock(hashtextextended('search words ' || ${hostId}, 0))`;
  const deleted = await rowsOf(tx)`
    delete from search_host_words known_word
    where host_id = ${hostId} and word = any (${unused}::text[]) and ${isUnused} returning 1`;
  return { deleted: deleted.length, last };
}
