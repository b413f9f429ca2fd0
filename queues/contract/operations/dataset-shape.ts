import { field, object, oneOf, uuid } from '../shape.ts';
import { DATASET_ID } from './example-ids.ts';
import { createdAt, datasetName, deleted, expires, updatedAt, visible } from './fields.ts';

export const datasetType = field(
  '`common_rag`: every turn may read every chunk; `filtered_rag`: a turn reads only chunks whose filter matches its data.',
  oneOf('common_rag', 'filtered_rag'),
);

export const datasetFields = {
  id: field('Id of the dataset.', uuid()),
  dataset_name: datasetName,
  dataset_type: datasetType,
};
export const times = { created_at: createdAt, updated_at: updatedAt };
export const flags = { visible, deleted };
export const dataset = object({ ...datasetFields, ...times, ...flags, expires });

export const exampleTimes = {
  created_at: '2026-02-02T12:00:00.000Z',
  updated_at: '2026-02-02T12:00:00.000Z',
};

export const exampleListed = {
  id: DATASET_ID,
  dataset_name: 'Guia do aluno',
  dataset_type: 'common_rag',
  ...exampleTimes,
} as const;
export const exampleDataset = {
  ...exampleListed,
  visible: true,
  deleted: false,
  expires: '2100-01-01T00:00:00.000Z',
} as const;
