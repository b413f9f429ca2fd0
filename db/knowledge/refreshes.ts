import type { DataOf } from '../../queues/contract/operations/index.ts';
import type { Db } from '../connection.ts';
import { type Fragment, jsonOf, rowsOf, sql, withoutNulls } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import type { ImportEnd, KnownPage } from './document-imports.ts';

/*
 * Documents of addresses that are imported again by themselves. A due row becomes an import like any other, and is due again a
 * while later: what happens to that import changes nothing of it. Few run at a time, so that imports of people find room.
 */

type DocumentChange = DataOf<'listDocumentChanges'>[number];

/**
 * A thousand documents that are due at once took all slots for hours: so many run at a time, over all hosts, each of another
 * one, and beside the slots (`start-documents.ts`).
 */
export const MAX_REFRESHING = 4;
/** Of one document. */
const MAX_CHANGES = 100;
/** Documents that were imported together fall apart: each waits up to a twentieth less or more. */
const nextDue = (hours: Fragment) =>
  sql`clock_timestamp() + ${hours} * (0.95 + random() / 10) * interval '1 hour'`;

/** Says how often the address is read again; null: not at all. */
export async function setRefresh(
  { tx, hostId }: HostScope,
  documentId: string,
  hours: number | null,
): Promise<void> {
  await rowsOf(tx)`
    update documents set refresh_every_hours = ${hours} where host_id = ${hostId} and id = ${documentId}`;
  if (hours === null)
    await rowsOf(
      tx,
    )`delete from document_refreshes where host_id = ${hostId} and document_id = ${documentId}`;
  else
    await rowsOf(tx)`
      insert into document_refreshes (host_id, document_id, due_at)
      values (${hostId}, ${documentId}, ${nextDue(sql`${hours}::integer`)})
      on conflict (host_id, document_id) do update set due_at = excluded.due_at`;
}

/** Orders imports of addresses that are due, the longest waiting first. Works as the owner, for all hosts. */
export async function orderRefreshes(db: Db): Promise<void> {
  await rowsOf(db)`
    with due as materialized (
      select first_due.* from (
        select distinct host_id from document_refreshes where due_at <= now()
      ) waiting_host
      cross join lateral (
        select refresh.host_id, document.id, document.name, document.media_type, document.url,
          document.refresh_every_hours, last_import.token_id, last_import.token_name, refresh.due_at
        from document_refreshes refresh
        join documents document on document.host_id = refresh.host_id and document.id = refresh.document_id
        join datasets dataset on dataset.host_id = document.host_id and dataset.id = document.dataset_id
        cross join lateral (
          select token_id, token_name, ended_at from document_imports import
          where import.host_id = document.host_id and import.document_id = document.id
          order by number desc limit 1
        ) last_import
        where refresh.host_id = waiting_host.host_id and refresh.due_at <= now()
          and document.url is not null and not document.deleted and not dataset.deleted
          and last_import.ended_at is not null
        order by refresh.due_at limit 1
        for update of refresh skip locked
      ) first_due
      where not exists (select from hosts where hosts.id = first_due.host_id and disabled)
        and not exists (
          select from document_imports running
          where running.host_id = first_due.host_id and running.ended_at is null and running.automatic)
      order by first_due.due_at
      limit greatest(0, ${MAX_REFRESHING} - (select count(*) from document_imports where ended_at is null and automatic))
    ), ordered as (
      insert into document_imports (host_id, id, document_id, name, media_type, url, token_id, token_name, automatic)
      select host_id, 'k' || replace(gen_random_uuid()::text, '-', ''), id, name, media_type, url, token_id, token_name, true
      from due
    )
    update document_refreshes refresh set due_at = ${nextDue(sql`due.refresh_every_hours`)}
    from due where refresh.host_id = due.host_id and refresh.document_id = due.id`;
}

export interface RefreshEnd extends ImportEnd {
  readonly documentId: string;
  readonly isAutomatic: boolean;
  /** The pages as they were read now; undefined where nothing was read. */
  readonly pages?: readonly KnownPage[] | undefined;
  /** The pause that a server asks for. */
  readonly retryAfterMs?: number | undefined;
}

/** Notes how an import has ended. Returns whether that is new: the same trouble again is not. */
export async function noteEnd(
  { tx, hostId }: HostScope,
  { documentId, isAutomatic, reason, incomplete, gone, counts, pages, retryAfterMs = 0 }: RefreshEnd,
): Promise<boolean> {
  const { added = 0, kept = 0, removed = 0 } = counts ?? {};
  const trouble = jsonOf({ reason, incomplete, gone });
  // An import that a person orders, and that fails, says nothing of the next one.
  const [before] = await rowsOf<{ isSame: boolean }>(tx)`
    update document_refreshes refresh set
      checked_at = case when ${reason === undefined} then clock_timestamp() else refresh.checked_at end,
      due_at = greatest(refresh.due_at, clock_timestamp() + ${retryAfterMs} * interval '1 millisecond'),
      trouble = ${trouble}::jsonb,
      pages = coalesce(${pages ? jsonOf(pages) : null}::jsonb, refresh.pages)
    from document_refreshes earlier
    where refresh.host_id = ${hostId} and refresh.document_id = ${documentId}
      and earlier.host_id = refresh.host_id and earlier.document_id = refresh.document_id
      and (${isAutomatic} or ${reason === undefined})
    returning earlier.trouble = ${trouble}::jsonb as "isSame"`;
  const isNew = added > 0 || removed > 0 || !(isAutomatic ? before?.isSame : reason === undefined);
  if (!isNew) return false;
  await rowsOf(tx)`
    insert into document_changes (host_id, document_id, automatic, reason, added, kept, removed, incomplete, gone)
    select ${hostId}, id, ${isAutomatic}, ${reason ?? null}, ${added}, ${kept}, ${removed},
      ${incomplete ? jsonOf(incomplete) : null}::jsonb, ${gone ? jsonOf(gone) : null}::jsonb
    from documents where host_id = ${hostId} and id = ${documentId} and not deleted`;
  await rowsOf(tx)`
    delete from document_changes where host_id = ${hostId} and document_id = ${documentId} and number <= (
      select number from document_changes where host_id = ${hostId} and document_id = ${documentId}
      order by number desc offset ${MAX_CHANGES} limit 1)`;
  return true;
}

/** Lists what became of the document, the newest first; undefined if there is no such document. */
export async function listDocumentChanges(
  { tx, hostId }: HostScope,
  documentId: string,
): Promise<DocumentChange[] | undefined> {
  const [known] = await rowsOf(tx)`
    select id from documents where host_id = ${hostId} and id = ${documentId} and not deleted`;
  if (!known) return undefined;
  const changes = await rowsOf<DocumentChange>(tx)`
    select change.at at time zone 'UTC' as at, automatic, reason, added, kept, removed, incomplete, gone
    from document_changes change where host_id = ${hostId} and document_id = ${documentId}
    order by number desc limit ${MAX_CHANGES}`;
  return changes.map(withoutNulls);
}
