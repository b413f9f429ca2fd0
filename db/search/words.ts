import { type Fragment, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

const PAGE_SIZE = 2_000;

export interface WordPage {
  readonly unused: readonly string[];
  /** The last word of the page; undefined if there are none after it. */
  readonly last: string | undefined;
}

/** Lists the next words of the host that no record of its index contains. Works as the owner. */
export async function listUnusedWords({ tx, hostId }: HostScope, after = ''): Promise<WordPage> {
  const page = await rowsOf<{ word: string; isUnused: boolean }>(tx)`
    select word, (${await isUnused({ tx, hostId })}) as "isUnused" from search_host_words known_word
    where host_id = ${hostId} and word > ${after} order by word limit ${PAGE_SIZE}`;
  const last = page.length === PAGE_SIZE ? page.at(-1)?.word : undefined;
  return { unused: page.flatMap(each => (each.isUnused ? each.word : [])), last };
}

/**
 * Deletes the words that are still unused, and returns their number. Works as the owner.
 *
 * A transaction that indexes a record does not store a word that it finds, and this one does not see that record yet. So both
 * lock the host's words, the former shared (`store_search_words`): it waits until this one is committed.
 */
export async function deleteUnusedWords(scope: HostScope, words: readonly string[]): Promise<number> {
  if (words.length === 0) return 0;
  const { tx, hostId } = scope;
  await rowsOf(tx)`select pg_advisory_xact_lock(hashtextextended('search words ' || ${hostId}, 0))`;
  const deleted = await rowsOf(tx)`
    delete from search_host_words known_word
    where host_id = ${hostId} and word = any (${words}::text[]) and ${await isUnused(scope)} returning 1`;
  return deleted.length;
}

async function isUnused({ tx, hostId }: HostScope): Promise<Fragment> {
  // The collation is the index's, which is not used with another.
  await rowsOf(tx)`set local enable_seqscan = off`;
  const key = sql`array[left(${hostId}, 8) || '1' || known_word.word collate "default"]`;
  // The sample finds common words quickly.
  return sql`not exists (
      select from search_records where is_sampled(origin_id) and search_keys(host_id, vector) @> ${key})
    and not exists (select from search_records where search_keys(host_id, vector) @> ${key})`;
}
