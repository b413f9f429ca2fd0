import { listDatasets as datasetsOf } from '../../db/datasets.ts';
import type { Handler } from '../job.ts';
import { listedDatasetOf } from './dataset-entry.ts';

export const listDatasets: Handler<'listDatasets'> = ({ body, read }) =>
  read(async scope => {
    const datasets = await datasetsOf(scope, body.avatarIds);
    return { code: 200, data: datasets.map(listedDatasetOf) };
  });
