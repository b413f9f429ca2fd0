import type { DataOf } from '../../queues/contract/operations/index.ts';
import { rowOf, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

type Dataset = DataOf<'createDataset'>;
export type DatasetType = Dataset['dataset_type'];
type DatasetLink = DataOf<'linkDatasetAvatar'>;

export interface NewDataset {
  readonly name: string;
  readonly type?: DatasetType | undefined;
  readonly enrich?: boolean | undefined;
  readonly expires?: Date | undefined;
}

interface DatasetChange {
  readonly enrich?: boolean | undefined;
  readonly name?: string | undefined;
  readonly visible?: boolean | undefined;
  readonly deleted?: boolean | undefined;
  readonly expires?: Date | undefined;
}

const MAX_LISTED = 10_000;

const times = sql`created_at at time zone 'UTC' as created_at, updated_at at time zone 'UTC' as updated_at`;
const listedColumns = sql`id, name as dataset_name, type as dataset_type, enrich, ${times}`;
const columns = sql`${listedColumns}, visible, deleted, expires at time zone 'UTC' as expires`;
const farAway = new Date('2100-01-01T00:00:00Z');

export async function insertDataset(
  { tx, hostId }: HostScope,
  { name, type = 'common_rag', enrich = false, expires = farAway }: NewDataset,
): Promise<Dataset> {
  const [dataset] = await rowsOf<Dataset>(tx)`
    insert into datasets (host_id, name, type, enrich, expires)
    values (${hostId}, ${name}, ${type}, ${enrich}, ${expires})
    returning ${columns}`;
  if (!dataset) throw new Error('The dataset was not stored.');
  return dataset;
}

/** Updates the given fields, even of a deleted dataset; returns undefined if there is none. */
export async function updateDataset(
  { tx, hostId }: HostScope,
  id: string,
  { name, enrich, visible, deleted, expires }: DatasetChange,
): Promise<Dataset | undefined> {
  return rowOf<Dataset>(tx)`
    update datasets set
      name = coalesce(${name ?? null}, name),
      enrich = coalesce(${enrich ?? null}::boolean, enrich),
      visible = coalesce(${visible ?? null}, visible),
      deleted = coalesce(${deleted ?? null}, deleted),
      expires = coalesce(${expires ?? null}, expires),
      updated_at = now()
    where host_id = ${hostId} and id = ${id}
    returning ${columns}`;
}

/** Returns undefined if the dataset is missing or deleted. */
export async function findDataset({ tx, hostId }: HostScope, id: string): Promise<Dataset | undefined> {
  return rowOf<Dataset>(tx)`
    select ${columns} from datasets where host_id = ${hostId} and id = ${id} and not deleted`;
}

/** Lists the datasets that are not deleted, by name; with `avatarIds` only those linked to one of them. */
export async function listDatasets(
  { tx, hostId }: HostScope,
  avatarIds?: readonly string[],
): Promise<DataOf<'listDatasets'>> {
  return rowsOf<DataOf<'listDatasets'>[number]>(tx)`
    select ${listedColumns} from datasets dataset
    where host_id = ${hostId} and not deleted
      and (${avatarIds ?? null}::uuid[] is null or exists (
        select from dataset_avatars link
        where link.host_id = dataset.host_id and link.dataset_id = dataset.id and not link.deleted
          and link.avatar_id = any (${avatarIds ?? null}::uuid[])))
    order by name, id
    limit ${MAX_LISTED}`;
}

export interface LinkedPair {
  readonly datasetId: string;
  readonly avatarId: string;
}

/** Links the avatar to the dataset, restoring a deleted or hidden link. Idempotent; returns undefined if either is missing. */
export async function linkDataset(scope: HostScope, pair: LinkedPair): Promise<DatasetLink | undefined> {
  return (await linkDatasets(scope, [pair]))?.[0];
}

/** Does the same for many pairs, in one statement; returns undefined if any is missing, though others are linked then. */
export async function linkDatasets(
  { tx, hostId }: HostScope,
  pairs: readonly LinkedPair[],
): Promise<DatasetLink[] | undefined> {
  // An id may be given again in other letters.
  const different = new Map(pairs.map(pair => [`${pair.datasetId} ${pair.avatarId}`.toLowerCase(), pair]));
  const datasetIds = Array.from(different.values(), ({ datasetId }) => datasetId);
  const avatarIds = Array.from(different.values(), ({ avatarId }) => avatarId);
  const links = await rowsOf<DatasetLink>(tx)`
    with pair as (
      select dataset.host_id, dataset.id as dataset_id, dataset.name as dataset_name,
        avatar.id as avatar_id, avatar.name as avatar_name
      from unnest(${datasetIds}::uuid[], ${avatarIds}::uuid[]) request (dataset_id, avatar_id)
      join datasets dataset on dataset.id = request.dataset_id
      join avatars avatar on avatar.id = request.avatar_id and avatar.host_id = dataset.host_id
      where dataset.host_id = ${hostId} and not dataset.deleted and not avatar.deleted
    ), link as (
      insert into dataset_avatars as link (host_id, dataset_id, avatar_id)
      select host_id, dataset_id, avatar_id from pair
      on conflict (host_id, avatar_id, dataset_id) do update
        set deleted = false, visible = true,
          updated_at = case when link.visible and not link.deleted then link.updated_at else now() end
      returning link.*
    )
    select id, dataset_name, avatar_id, avatar_name, dataset_id, ${times}, visible, deleted
    from link join pair using (host_id, dataset_id, avatar_id)`;
  return links.length === different.size ? links : undefined;
}

/** Deletes the link; a deleted link is returned unchanged. Returns undefined if there never was one. */
export async function unlinkDataset(
  { tx, hostId }: HostScope,
  { datasetId, avatarId }: LinkedPair,
): Promise<DatasetLink | undefined> {
  return rowOf<DatasetLink>(tx)`
    with link as (
      update dataset_avatars link set deleted = true,
        updated_at = case when link.deleted then link.updated_at else now() end
      where host_id = ${hostId} and dataset_id = ${datasetId} and avatar_id = ${avatarId}
      returning link.*
    )
    select id, dataset_name, avatar_id, avatar_name, dataset_id, ${times}, visible, deleted
    from link
    join (select id as dataset_id, name as dataset_name from datasets where host_id = ${hostId}) dataset using (dataset_id)
    join (select id as avatar_id, name as avatar_name from avatars where host_id = ${hostId}) avatar using (avatar_id)`;
}

/** Links an avatar to the datasets of another; hidden links stay hidden. */
export async function copyDatasetLinks(
  { tx, hostId }: HostScope,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  await rowsOf(tx)`
    insert into dataset_avatars (host_id, dataset_id, avatar_id, visible)
    select link.host_id, link.dataset_id, ${to}::uuid, link.visible
    from dataset_avatars link
    join datasets dataset on dataset.host_id = link.host_id and dataset.id = link.dataset_id
    where link.host_id = ${hostId} and link.avatar_id = ${from} and not link.deleted and not dataset.deleted
    on conflict (host_id, avatar_id, dataset_id) do nothing`;
}
