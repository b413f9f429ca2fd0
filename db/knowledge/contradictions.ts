import type { DataOf } from '../../queues/contract/operations/index.ts';
import type { Db } from '../connection.ts';
import { isAfter, type PageOf, placeOf, readRowsThatFit, type TimedRow, type TimeKey } from '../pages.ts';
import { type Fragment, jsonOf, rowsOf, sql, withoutNulls } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import { type ChunkFilter, textOfChunk } from './chunks.ts';

/*
 * A passage that was written, changed or deleted is due to be compared (`check_contradictions`, in its transaction). Who claims the
 * passages of a host moves their due time, and takes away only those that have it still: one that changes meanwhile is due anew, and
 * is not waited for. What an import wrote is due at once: nobody goes on editing it. A transaction that wrote passages of one host
 * once held up the looks of all, until the statement timed out.
 */

type ListedContradiction = DataOf<'listContradictions'>['items'][number] & TimedRow;

export interface DueHost {
  readonly hostId: string;
  readonly chunkIds: readonly string[];
  /** The due time that the claim has set, as text: it has microseconds. */
  readonly lease: string;
}

/** Has what changed of a document compared without a wait. */
export async function hastenComparison({ tx, hostId }: HostScope, documentId: string): Promise<void> {
  await rowsOf(tx)`
    update contradiction_checks set due_at = '-infinity' where host_id = ${hostId}
      and chunk_id in (select id from chunks where host_id = ${hostId} and document_id = ${documentId})`;
}

/** Claims a host whose passages have not changed for so long, or that has hastened ones. Works as the owner, for all hosts. */
export async function claimDueHost(
  db: Db,
  { quietMs, leaseMs }: { readonly quietMs: number; readonly leaseMs: number },
): Promise<DueHost | undefined> {
  const [claimed] = await rowsOf<DueHost>(db)`
    with due_host as materialized (
      select host_id from contradiction_checks
      where not exists (select from hosts where hosts.id = host_id and disabled)
      group by host_id
      -- Two comparisons of a host at once would hold its passages twice, and write the same rows.
      having max(due_at) <= case when min(due_at) = '-infinity' then now() else now() - ${quietMs} * interval '1 millisecond' end
      order by random() limit 1
    ), unlocked_check as materialized (
      select host_id, chunk_id from contradiction_checks join due_host using (host_id)
      -- Again, because another worker may have claimed it meanwhile.
      where due_at <= now() - ${quietMs} * interval '1 millisecond'
      for update of contradiction_checks skip locked
    ), claimed as (
      update contradiction_checks due set due_at = now() + ${leaseMs} * interval '1 millisecond'
      from unlocked_check where due.host_id = unlocked_check.host_id and due.chunk_id = unlocked_check.chunk_id
      returning due.host_id, due.chunk_id, due_at
    )
    select host_id as "hostId", array_agg(chunk_id) as "chunkIds", due_at::text as lease from claimed group by host_id, due_at`;
  return claimed;
}

export interface ReadablePassage {
  readonly id: string;
  readonly content: string;
  readonly documentId: string | null;
  readonly filter: ChunkFilter | null;
  readonly avatarIds: readonly string[];
}

/** These passages with the others of their documents; and how many passages the host has. */
export async function readWithDocuments(
  { tx, hostId }: HostScope,
  chunkIds: readonly string[],
): Promise<{ readonly chunkIds: readonly string[]; readonly total: number }> {
  const [read] = await rowsOf<{ chunkIds: string[]; total: number }>(tx)`
    select array(
        select id from chunks where host_id = ${hostId} and not deleted and id = any (${chunkIds}::uuid[])
        union
        select mate.id from chunks chunk
        join chunks mate on mate.host_id = chunk.host_id and mate.document_id = chunk.document_id and not mate.deleted
        where chunk.host_id = ${hostId} and chunk.id = any (${chunkIds}::uuid[])
      ) as "chunkIds",
      (select count(*)::integer from chunks where host_id = ${hostId} and not deleted) as total`;
  return read ?? { chunkIds: [], total: 0 };
}

/** The passages that share the most rare words with one of these. */
export async function findNearPassages(
  { tx, hostId }: HostScope,
  chunkIds: readonly string[],
  most: number,
): Promise<string[]> {
  const found = await rowsOf<{ id: string }>(tx)`
    select passages_near as id from passages_near(${hostId}, ${chunkIds}::uuid[], ${most})`;
  return found.map(({ id }) => id);
}

interface Wanted {
  readonly limit: number;
  readonly after?: string | undefined;
  /** Only these. */
  readonly ids?: readonly string[];
}

/** Reads passages that avatars may read, in the order of their ids, which are random. */
export async function readReadablePassages(
  { tx, hostId }: HostScope,
  { limit, after, ids }: Wanted,
): Promise<ReadablePassage[]> {
  return rowsOf<ReadablePassage>(tx)`
    with dataset as materialized (
      select dataset_id, dataset_type, array_agg(avatar_id::text order by avatar_id) as readers
      from readable_datasets where host_id = ${hostId} group by dataset_id, dataset_type
    )
    select chunk.id, ${textOfChunk} as content, document_id as "documentId",
      case when dataset_type = 'filtered_rag' then filter end as filter, readers as "avatarIds"
    from chunks chunk join dataset on dataset.dataset_id = chunk.dataset_id
    where chunk.host_id = ${hostId} and not chunk.deleted and is_in_force(chunk.valid_from, chunk.valid_until)
      ${after === undefined ? sql`` : sql`and chunk.id > ${after}::uuid`}
      ${ids === undefined ? sql`` : sql`and chunk.id = any (${ids}::uuid[])`}
    order by chunk.id limit ${limit}`;
}

export interface FoundContradiction {
  readonly kind: string;
  readonly chunkId: string;
  /** One of these two: the other passage, or the approved answer, with its place. */
  readonly otherChunkId?: string;
  readonly approvedId?: string;
  readonly places: ListedContradiction['places'];
  readonly pairs: number;
  readonly textsHash: string;
}

export interface StoredContradiction {
  readonly id: string;
  readonly datasetId: string;
}

/**
 * Replaces what stood open about these passages and approved answers, and returns those that are new, the first given first. What staff
 * dismissed stays so; a text that was deleted for another may have been written again.
 */
export async function storeContradictions(
  scope: HostScope,
  { lease }: DueHost,
  ids: readonly string[],
  found: readonly FoundContradiction[],
): Promise<StoredContradiction[]> {
  const { tx, hostId } = scope;
  const known = await takeKnown(scope, ids);
  const free = new Set(known.filter(({ isOpen }) => isOpen));
  const places = new Map<string, number>();
  const given = found.map((each, place) => {
    const sides = [each.chunkId, each.otherChunkId ?? each.approvedId ?? ''];
    const same =
      known.find(({ textsHash }) => textsHash === each.textsHash) ??
      known.find(one => sides.every(side => one.sides.includes(side)));
    if (!same) places.set(each.textsHash, place);
    // An edited pair keeps its id: its event names that.
    return same && free.delete(same) ? { ...each, id: same.id, foundAt: same.foundAt } : each;
  });
  const stored = await rowsOf<StoredContradiction & { textsHash: string }>(tx)`
    insert into contradictions (host_id, id, found_at, kind, chunk_id, other_chunk_id, approved_id, places, pairs, texts_hash)
    select distinct on ("textsHash") ${hostId}::uuid, coalesce(given.id, gen_random_uuid()), coalesce("foundAt", now()),
      kind, chunk.id, other.id, approved.id, places, pairs, "textsHash"
    from jsonb_to_recordset(${jsonOf(given)}::jsonb) as given (id uuid, "foundAt" timestamptz, kind text, "chunkId" uuid,
      "otherChunkId" uuid, "approvedId" uuid, places jsonb, pairs integer, "textsHash" text)
    join chunks chunk on chunk.host_id = ${hostId} and chunk.id = "chunkId" and not chunk.deleted
    left join chunks other on other.host_id = ${hostId} and other.id = "otherChunkId" and not other.deleted
    left join approved_answers approved
      on approved.host_id = ${hostId} and approved.id = "approvedId" and not approved.deleted
    where num_nonnulls(other.id, approved.id) = 1 order by "textsHash", given.id
    on conflict (host_id, texts_hash) do update set chunk_id = excluded.chunk_id, other_chunk_id = excluded.other_chunk_id,
      places = excluded.places, pairs = excluded.pairs, state = 'open', found_at = now(), decided_at = null, decided_by = null
    where contradictions.state = 'resolved'
    returning id, texts_hash as "textsHash",
      (select dataset_id from chunks where host_id = ${hostId} and chunks.id = chunk_id) as "datasetId"`;
  await rowsOf(tx)`
    delete from contradiction_checks where host_id = ${hostId} and chunk_id = any (array(
      select chunk_id from contradiction_checks
      where host_id = ${hostId} and due_at = ${lease}::timestamptz for update skip locked))`;
  const placeIn = ({ textsHash }: { readonly textsHash: string }) => places.get(textsHash) ?? 0;
  return stored
    .filter(({ textsHash }) => places.has(textsHash))
    .toSorted((one, other) => placeIn(one) - placeIn(other));
}

interface KnownContradiction {
  readonly id: string;
  readonly isOpen: boolean;
  readonly textsHash: string;
  readonly foundAt: string;
  readonly sides: readonly string[];
}

/** Deletes what stands open about these passages and approved answers. Returns that, and what staff dismissed about them. */
function takeKnown({ tx, hostId }: HostScope, ids: readonly string[]): Promise<KnownContradiction[]> {
  const about = sql`host_id = ${hostId}
    and (chunk_id = any (${ids}::uuid[]) or other_chunk_id = any (${ids}::uuid[]) or approved_id = any (${ids}::uuid[]))`;
  return rowsOf<KnownContradiction>(tx)`
    with gone as (delete from contradictions where ${about} and state = 'open' returning *)
    select id, state = 'open' as "isOpen", texts_hash as "textsHash", found_at::text as "foundAt",
      array[chunk_id, coalesce(other_chunk_id, approved_id)] as sides
    from (
      select * from gone union all select * from contradictions where ${about} and state = 'dismissed'
    ) known`;
}

/** Lists the open ones, the last found first, without passages that are gone. */
export async function listContradictions(
  { tx, hostId }: HostScope,
  { limit, after }: PageOf<TimeKey>,
): Promise<ListedContradiction[]> {
  const sideOf = (chunk: Fragment) =>
    sql`jsonb_build_object('chunkId', ${chunk}.id, 'datasetId', ${chunk}.dataset_id, 'documentId', ${chunk}.document_id,
      'documentName', (select name from documents where host_id = ${chunk}.host_id and id = ${chunk}.document_id),
      'content', coalesce(${chunk}.body, ${chunk}.content))`;
  const rows = sql`
    select found.id as "contradictionId", kind, pairs, places, found_at at time zone 'UTC' as "foundAt",
      jsonb_build_array(${sideOf(sql`one`)}, ${sideOf(sql`other`)}) as passages, ${placeOf(sql`found_at`, sql`found.id`)}
    from contradictions found
    join chunks one on one.host_id = found.host_id and one.id = found.chunk_id and not one.deleted
    join chunks other on other.host_id = found.host_id and other.id = found.other_chunk_id and not other.deleted
    where found.host_id = ${hostId} and state = 'open' and is_in_force(one.valid_from, one.valid_until)
      and is_in_force(other.valid_from, other.valid_until) ${isAfter(sql`found_at`, sql`found.id`, after)}
    order by found_at desc, found.id desc limit ${limit}`;
  const listed = await readRowsThatFit<ListedContradiction>(tx, rows, sql`at desc, "rowId" desc`);
  return listed.map(row => ({ ...row, passages: row.passages.map(withoutNulls) }));
}

interface DecidedSides {
  readonly sides: readonly {
    readonly chunkId: string;
    /** Whether it may be kept: who decides for the other of two after a colleague would end both. */
    readonly isValid: boolean;
    /** Of two versions: the one that the passage is of. */
    readonly documentId: string | null;
  }[];
  /** The approved answer that the passage contradicts. */
  readonly approvedId: string | null;
}

/** Also one that was decided so before: whoever asks again is told the same. */
export async function findContradiction(
  { tx, hostId }: HostScope,
  id: string,
  state: 'dismissed' | 'resolved',
): Promise<DecidedSides | undefined> {
  const [found] = await rowsOf<DecidedSides>(tx)`
    select (
      select jsonb_agg(jsonb_build_object('chunkId', chunk.id,
        'isValid', not deleted and is_in_force(valid_from, valid_until),
        'documentId', case when kind = 'versions' then chunk.document_id end))
      from chunks chunk where chunk.host_id = ${hostId} and chunk.id in (chunk_id, other_chunk_id)
    ) as sides, approved_id as "approvedId"
    from contradictions
    where host_id = ${hostId} and id = ${id} and state in ('open', ${state}) for update`;
  return found;
}

export async function decideContradiction(
  { tx, hostId }: HostScope,
  id: string,
  { state, by }: { readonly state: 'dismissed' | 'resolved'; readonly by: string },
): Promise<void> {
  await rowsOf(tx)`
    update contradictions set state = ${state}, decided_at = now(), decided_by = ${by}
    where host_id = ${hostId} and id = ${id}`;
}
