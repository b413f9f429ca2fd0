import { hasAvatar } from '../../db/assistants/avatars.ts';
import { isWithinLimits } from '../../db/hosts/host-limits.ts';
import {
  listDatasets as datasetsOf,
  findDataset,
  insertDataset,
  linkDataset,
  linkDatasets,
  unlinkDataset,
  updateDataset,
} from '../../db/knowledge/datasets.ts';
import { enrichDataset } from '../../db/knowledge/people-words.ts';
import { failure, isFailure } from '../../queues/contract/failure.ts';
import { readInstants } from '../bodies/read-instants.ts';
import type { Handler } from '../runtime/job.ts';

export const createDataset: Handler<'createDataset'> = job =>
  job.commit(async scope => {
    const { datasetName: name, datasetType: type, enrich, avatarIds = [] } = job.body;
    const times = await readInstants(scope, { expires: job.body.expires });
    if (isFailure(times)) return times;
    const dataset = await insertDataset(scope, { name, type, enrich, ...times });
    const pairs = avatarIds.map(avatarId => ({ datasetId: dataset.id, avatarId }));
    if (!(await linkDatasets(scope, pairs))) return failure('avatar-not-found');
    if (!(await isWithinLimits(scope, 'datasets')) || !(await isWithinLimits(scope, 'dataset_avatars')))
      return failure('host-full');
    return { code: 200, data: dataset };
  });

export const editDataset: Handler<'editDataset'> = job =>
  job.commit(async scope => {
    const { id, datasetName: name, enrich, visible, deleted } = job.body;
    const times = await readInstants(scope, { expires: job.body.expires });
    if (isFailure(times)) return times;
    const dataset = await updateDataset(scope, id, { name, enrich, visible, deleted, ...times });
    if (!dataset) return failure('dataset-not-found');
    if (enrich !== undefined) await enrichDataset(scope, id, enrich);
    if (deleted === false && !(await isWithinLimits(scope, 'datasets'))) return failure('host-full');
    return { code: 200, data: dataset };
  });

export const listDatasets: Handler<'listDatasets'> = ({ body, read }) =>
  read(async scope => ({ code: 200, data: await datasetsOf(scope, body.avatarIds) }));

export const linkDatasetAvatar: Handler<'linkDatasetAvatar'> = job =>
  job.commit(async scope => {
    const { datasetId, avatarId } = job.body;
    const link = await linkDataset(scope, { datasetId, avatarId });
    if (link && !(await isWithinLimits(scope, 'dataset_avatars'))) return failure('host-full');
    if (link) return { code: 200, data: link };
    return failure((await findDataset(scope, datasetId)) ? 'avatar-not-found' : 'dataset-not-found');
  });

export const unlinkDatasetAvatar: Handler<'unlinkDatasetAvatar'> = job =>
  job.commit(async scope => {
    const { datasetId, avatarId } = job.body;
    const link = await unlinkDataset(scope, { datasetId, avatarId });
    if (link) return { code: 200, data: link };
    if (!(await findDataset(scope, datasetId))) return failure('dataset-not-found');
    return failure((await hasAvatar(scope, avatarId)) ? 'link-not-found' : 'avatar-not-found');
  });
