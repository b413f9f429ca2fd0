import { type DatasetLink, findDataset, linkDataset } from '../../db/datasets.ts';
import { failure } from '../../queues/failure.ts';
import type { DataOf } from '../../queues/operations/index.ts';
import type { Handler } from '../job.ts';

export const linkDatasetAvatar: Handler<'linkDatasetAvatar'> = job =>
  job.commit(async scope => {
    const { datasetId, avatarId } = job.body;
    const link = await linkDataset(scope, { datasetId, avatarId });
    if (link) return { code: 200, data: linkEntryOf(link) };
    return failure((await findDataset(scope, datasetId)) ? 'avatar-not-found' : 'dataset-not-found');
  });

function linkEntryOf(link: DatasetLink): DataOf<'linkDatasetAvatar'> {
  return {
    id: link.id,
    dataset_name: link.datasetName,
    avatar_id: link.avatarId,
    avatar_name: link.avatarName,
    dataset_id: link.datasetId,
    created_at: link.createdAt.toISOString(),
    updated_at: link.updatedAt.toISOString(),
    visible: link.visible,
    deleted: link.deleted,
  };
}
