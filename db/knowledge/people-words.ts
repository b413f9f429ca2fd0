import type { Db } from '../connection.ts';
import { jsonOf, rowsOf } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import { textOfChunk } from './chunks.ts';

/*
 * The names that people give to what stands in a passage. A row is due from the transaction on that writes the passage of a dataset
 * with `enrich`. Who claims it moves its due time, and stores only while that is his: a passage that changes meanwhile is due anew.
 */

export interface DuePassage {
  readonly hostId: string;
  readonly chunkId: string;
  readonly content: string;
  /** The due time that the claim has set, as text: it has microseconds. */
  readonly lease: string;
}

/** Claims passages of one host, any of those that have some. Works as the owner, for all hosts. */
export async function claimUnnamedPassages(db: Db, most: number, leaseMs: number): Promise<DuePassage[]> {
  return rowsOf<DuePassage>(db)`
    with due_host as materialized (
      select host_id from (
        select distinct host_id from people_words where due_at <= now()
      ) waiting_host
      where not exists (select from hosts where hosts.id = host_id and disabled)
      order by random() limit 1
    ), due_passage as materialized (
      select people_words.host_id, people_words.chunk_id, ${textOfChunk} as content
      from due_host join people_words using (host_id)
      join chunks chunk on chunk.host_id = people_words.host_id and chunk.id = people_words.chunk_id
      where due_at <= now() and not chunk.deleted
      order by due_at limit ${most} for update of people_words skip locked
    )
    update people_words claimed set due_at = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
    from due_passage
    where claimed.host_id = due_passage.host_id and claimed.chunk_id = due_passage.chunk_id
    returning claimed.host_id as "hostId", claimed.chunk_id as "chunkId", due_passage.content, claimed.due_at::text as lease`;
}

/** Stores the words of passages that are still claimed. */
export async function storeFoundWords(
  { tx, hostId }: HostScope,
  found: readonly (DuePassage & { readonly words: string })[],
): Promise<void> {
  await rowsOf(tx)`
    with named as (
      update people_words set words = given.words, due_at = null, tries = 0
      from jsonb_to_recordset(${jsonOf(found)}::jsonb) as given ("chunkId" uuid, lease text, words text)
      where host_id = ${hostId} and chunk_id = given."chunkId" and due_at = given.lease::timestamptz
      returning chunk_id, people_words.words
    )
    insert into people_stems (host_id, stem, chunk_id)
    select distinct ${hostId}::uuid, stem, chunk_id from named, unnest(tsvector_to_array(search_vector(words))) stem`;
}

/** After the last try nobody is asked again until the passage changes. */
export async function postponePassages(
  { tx, hostId }: HostScope,
  passages: readonly DuePassage[],
  { afterMs, maxTries }: { readonly afterMs: number; readonly maxTries: number | undefined },
): Promise<void> {
  await rowsOf(tx)`
    update people_words set tries = tries + ${maxTries === undefined ? 0 : 1},
      due_at = case when tries + 1 < ${maxTries ?? 1_000}
        then clock_timestamp() + ${afterMs} * interval '1 millisecond' end
    from jsonb_to_recordset(${jsonOf(passages)}::jsonb) as given ("chunkId" uuid, lease text)
    where host_id = ${hostId} and chunk_id = given."chunkId" and due_at = given.lease::timestamptz`;
}

/** Stores what staff write; nothing is asked for this passage until it changes. */
export async function setPeopleWords(
  { tx, hostId }: HostScope,
  chunkId: string,
  words: string,
): Promise<void> {
  await rowsOf(tx)`delete from people_stems where host_id = ${hostId} and chunk_id = ${chunkId}`;
  await rowsOf(tx)`
    insert into people_words (host_id, chunk_id, words) values (${hostId}, ${chunkId}, ${words})
    on conflict (host_id, chunk_id) do update set words = excluded.words, due_at = null, tries = 0`;
  await rowsOf(tx)`
    insert into people_stems (host_id, stem, chunk_id)
    select ${hostId}, stem, ${chunkId} from unnest(tsvector_to_array(search_vector(${words}))) stem`;
}

/** Drops the words of a passage that has changed; they are asked for anew where its dataset wants that. */
export async function dropPeopleWords({ tx, hostId }: HostScope, chunkId: string): Promise<void> {
  await rowsOf(tx)`delete from people_words where host_id = ${hostId} and chunk_id = ${chunkId}`;
  await rowsOf(tx)`
    insert into people_words (host_id, chunk_id, due_at)
    select chunk.host_id, chunk.id, now() from chunks chunk
    join datasets dataset on dataset.host_id = chunk.host_id and dataset.id = chunk.dataset_id
    where chunk.host_id = ${hostId} and chunk.id = ${chunkId} and dataset.enrich`;
}

/** Makes the passages of a dataset due that have no words yet, or gives up those that are. */
export async function enrichDataset(
  { tx, hostId }: HostScope,
  datasetId: string,
  isWanted: boolean,
): Promise<void> {
  if (isWanted)
    await rowsOf(tx)`
      insert into people_words (host_id, chunk_id, due_at)
      select host_id, id, now() from chunks
      where host_id = ${hostId} and dataset_id = ${datasetId} and not deleted
      on conflict do nothing`;
  else
    await rowsOf(tx)`
      delete from people_words using chunks chunk
      where people_words.host_id = ${hostId} and words is null and chunk.host_id = ${hostId}
        and chunk.id = chunk_id and chunk.dataset_id = ${datasetId}`;
}
