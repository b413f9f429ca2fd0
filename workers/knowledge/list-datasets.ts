import type { Db } from '../../db/connection.ts';
import { listDatasets as datasetsOf } from '../../db/datasets.ts';
import { withHost } from '../../db/with-hosts.ts';
import type { Handler } from '../job.ts';
import { listedDatasetOf } from './dataset-entry.ts';

export function listDatasets(db: Db): Handler<'listDatasets'> {
  return async ({ hostId, body }) => {
    const datasets = await withHost(db, hostId, scope => datasetsOf(scope, body.avatarIds));
    return { code: 200, data: datasets.map(listedDatasetOf) };
  };
}
