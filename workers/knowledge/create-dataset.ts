import { insertDataset, linkDataset } from '../../db/datasets.ts';
import { failure } from '../../queues/failure.ts';
import type { Handler } from '../job.ts';
import { datasetEntryOf } from './dataset-entry.ts';
import { expiryOf } from './expiry.ts';

export const createDataset: Handler<'createDataset'> = job =>
  job.commit(async scope => {
    const { datasetName: name, datasetType: type, avatarIds = [] } = job.body;
    const expires = await expiryOf(scope, job.body.expires);
    if ('code' in expires) return expires;
    const dataset = await insertDataset(scope, { name, type, expires: expires.at });
    for (const avatarId of new Set(avatarIds)) {
      if (!(await linkDataset(scope, { datasetId: dataset.id, avatarId })))
        return failure('avatar-not-found');
    }
    return { code: 200, data: datasetEntryOf(dataset) };
  });
