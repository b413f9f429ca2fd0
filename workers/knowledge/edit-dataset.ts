import { updateDataset } from '../../db/datasets.ts';
import { failure } from '../../queues/failure.ts';
import type { Handler } from '../job.ts';
import { datasetEntryOf } from './dataset-entry.ts';
import { expiryOf } from './expiry.ts';

export const editDataset: Handler<'editDataset'> = job =>
  job.commit(async scope => {
    const { id, datasetName: name, visible, deleted } = job.body;
    const expires = await expiryOf(scope, job.body.expires);
    if ('code' in expires) return expires;
    const dataset = await updateDataset(scope, id, { name, visible, deleted, expires: expires.at });
    return dataset ? { code: 200, data: datasetEntryOf(dataset) } : failure('dataset-not-found');
  });
