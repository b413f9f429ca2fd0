import type { Dataset } from '../../db/datasets.ts';
import type { DataOf } from '../../queues/operations/index.ts';

/** The dataset as clients know it. */
export function datasetEntryOf(dataset: Dataset): DataOf<'createDataset'> {
  const { visible, deleted, expires } = dataset;
  return { ...listedDatasetOf(dataset), visible, deleted, expires: expires.toISOString() };
}

export function listedDatasetOf(dataset: Dataset): DataOf<'listDatasets'>[number] {
  return {
    id: dataset.id,
    dataset_name: dataset.name,
    dataset_type: dataset.type,
    created_at: dataset.createdAt.toISOString(),
    updated_at: dataset.updatedAt.toISOString(),
  };
}
