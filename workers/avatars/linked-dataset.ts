import type { AvatarWithDatasets } from '../../db/avatars.ts';

/** A dataset as it stands among those of its avatar. */
export function linkedDatasetOf({ datasetId, datasetName, expires }: AvatarWithDatasets['datasets'][number]) {
  return { dataset_id: datasetId, dataset_name: datasetName, expires: expires.toISOString() };
}
