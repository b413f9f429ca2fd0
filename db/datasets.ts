import { rowsOf, sql } from './rows-of.ts';
import type { HostScope } from './with-hosts.ts';

export type DatasetType = 'common_rag' | 'filtered_rag';

export interface Dataset {
  readonly id: string;
  readonly name: string;
  readonly type: DatasetType;
  readonly visible: boolean;
  readonly deleted: boolean;
  readonly expires: Date;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface NewDataset {
  readonly name: string;
  readonly type?: DatasetType;
  readonly expires?: Date;
}

const columns = sql`id, name, type, visible, deleted, expires, created_at as "createdAt", updated_at as "updatedAt"`;
const farAway = new Date('2100-01-01T00:00:00Z');

export async function insertDataset(
  { tx, hostId }: HostScope,
  { name, type = 'common_rag', expires = farAway }: NewDataset,
): Promise<Dataset> {
  const [dataset] = await rowsOf<Dataset>(tx)`
    insert into datasets (host_id, name, type, expires) values (${hostId}, ${name}, ${type}, ${expires})
    returning ${columns}`;
  if (!dataset) throw new Error('The dataset was not stored.');
  return dataset;
}

/** Lets the avatar read the dataset, and gives the link's id. Twice is once; undefined where either is missing. */
export async function linkDataset(
  { tx, hostId }: HostScope,
  { datasetId, avatarId }: { readonly datasetId: string; readonly avatarId: string },
): Promise<string | undefined> {
  const [link] = await rowsOf<{ id: string }>(tx)`
    insert into dataset_avatars (host_id, dataset_id, avatar_id)
    select dataset.host_id, dataset.id, avatar.id
    from datasets dataset join avatars avatar on avatar.host_id = dataset.host_id
    where dataset.host_id = ${hostId} and dataset.id = ${datasetId} and not dataset.deleted
      and avatar.id = ${avatarId}
    on conflict (host_id, avatar_id, dataset_id) do update set deleted = false, updated_at = now()
    returning id`;
  return link?.id;
}
