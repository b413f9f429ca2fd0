import { operation } from '../operation.ts';
import {
  dateTime,
  field,
  flag,
  idAlsoNamed,
  object,
  oneOf,
  optional,
  responseList,
  text,
  uuid,
} from '../shape.ts';
import { AVATAR_ID, DATASET_ID, HOST_ID, LINK_ID } from './example-ids.ts';
import {
  avatarId,
  avatarIds,
  avatarName,
  choosenHostId,
  createdAt,
  datasetId,
  datasetName,
  deleted,
  expires,
  hostFields,
  hostId,
  ownHostFields,
  updatedAt,
  visible,
} from './fields.ts';
import { SVC } from './paths.ts';

const datasetType = field(
  '`common_rag`: every turn may read every chunk; `filtered_rag`: a turn reads only chunks whose filter matches its data.',
  oneOf('common_rag', 'filtered_rag'),
);

const enrich = field(
  'Whether a model is asked once for each passage, in the background, for the names that people give to what stands in it: they are searched, and no prompt has them.',
  flag(),
);

const datasetFields = {
  enrich,
  id: field('Id of the dataset.', uuid()),
  dataset_name: datasetName,
  dataset_type: datasetType,
};
const times = { created_at: createdAt, updated_at: updatedAt };
const flags = { visible, deleted };
const dataset = object({ ...datasetFields, ...times, ...flags, expires });

const exampleTimes = {
  created_at: '2026-02-02T12:00:00.000Z',
  updated_at: '2026-02-02T12:00:00.000Z',
};

const exampleListed = {
  id: DATASET_ID,
  dataset_name: 'Guia do aluno',
  dataset_type: 'common_rag',
  enrich: false,
  ...exampleTimes,
} as const;
const exampleDataset = {
  ...exampleListed,
  visible: true,
  deleted: false,
  expires: '2100-01-01T00:00:00.000Z',
} as const;

export const listDatasets = operation({
  effect: 'reads',
  summary: 'List the datasets of a host',
  description:
    'Sorted by name. With `avatarIds`: only datasets linked to one of these avatars. Includes hidden and expired ' +
    'datasets, omits deleted ones.',
  weight: { kind: 'list', connections: 1 },
  tag: 'knowledge',
  path: `${SVC}/datasetsListHelper`,
  body: object({
    hostId,
    avatarIds: avatarIds('Only datasets that one of these avatars may read. When absent: all of the host.'),
    choosenHostId,
  }),
  data: responseList(object({ ...datasetFields, ...times })),
  example: { body: { hostId: HOST_ID, avatarIds: [AVATAR_ID] }, data: [exampleListed] },
  scope: 'manage',
});

export const createDataset = operation({
  effect: 'adds',
  summary: 'Create a dataset and link it to avatars',
  description:
    'In a `filtered_rag` dataset a turn reads only the chunks whose filter matches its `globalData` or `userData`. ' +
    '`expires` defaults to 2100-01-01; a date, or a time without offset, is in the time zone of the host. ' +
    'If an avatar does not exist, nothing is created.',
  tag: 'knowledge',
  path: `${SVC}/createDatasetsHelper`,
  body: object({
    hostId,
    datasetName: field('Display name of the dataset.', text()),
    datasetType: field(
      '`common_rag` (when absent): every turn may read every chunk; `filtered_rag`: a turn reads only chunks whose filter matches its data.',
      optional(datasetType),
    ),
    enrich: optional(enrich),
    expires: field(
      'Time at which the dataset expires; a date without a time means midnight in the time zone of the host. When absent: 2100-01-01.',
      optional(dateTime()),
    ),
    avatarIds: avatarIds('Ids of the avatars that may read the dataset. When absent: none.'),
    choosenHostId,
  }),
  data: dataset,
  example: {
    body: {
      hostId: HOST_ID,
      datasetName: 'Guia do aluno',
      datasetType: 'common_rag',
      enrich: false,
      expires: '2100-01-01T00:00:00.000Z',
      avatarIds: [AVATAR_ID],
    },
    data: exampleDataset,
  },
  refusals: ['avatar-not-found', 'host-full'],
  scope: 'manage',
});

export const editDataset = operation({
  effect: 'changes',
  summary: 'Update, hide or delete a dataset',
  description:
    'Updates only the given fields. `deleted: false` restores a deleted dataset with its chunks and links.',
  tag: 'knowledge',
  path: `${SVC}/editDatasetHelper`,
  body: object({
    id: field('Id of the dataset, as returned by datasetsListHelper.', idAlsoNamed('dataset_id')),
    hostId,
    datasetName: field('New name of the dataset. When absent: unchanged.', optional(text())),
    enrich: optional(enrich),
    visible: optional(visible),
    deleted: field('True deletes the dataset, false restores it. When absent: unchanged.', optional(deleted)),
    expires: field(
      'Time at which the dataset expires; a date without a time means midnight in the time zone of the host. When absent: unchanged.',
      optional(dateTime()),
    ),
    choosenHostId,
  }),
  data: dataset,
  example: {
    body: {
      id: DATASET_ID,
      hostId: HOST_ID,
      datasetName: exampleDataset.dataset_name,
      enrich: false,
      visible: false,
      deleted: false,
      expires: '2100-01-01T00:00:00.000Z',
    },
    data: { ...exampleDataset, visible: false },
  },
  refusals: ['dataset-not-found', 'host-full'],
  scope: 'manage',
});

const link = object({
  id: field('Id of the link between the dataset and the avatar.', uuid()),
  dataset_name: datasetName,
  avatar_id: avatarId,
  avatar_name: avatarName,
  dataset_id: datasetId,
  ...times,
  ...flags,
});
const exampleLink = {
  id: LINK_ID,
  dataset_name: 'Guia do aluno',
  avatar_id: AVATAR_ID,
  avatar_name: 'Lia',
  dataset_id: DATASET_ID,
  ...exampleTimes,
  visible: true,
  deleted: false,
};

export const linkDatasetAvatar = operation({
  effect: 'adds',
  summary: 'Link a dataset to an avatar',
  description:
    'The avatar may then read the dataset. Idempotent: an existing link is returned, and restored if it was deleted or hidden.',
  tag: 'knowledge',
  path: `${SVC}/linkDatasetAvatarHelper`,
  body: object({
    datasetId,
    avatarId,
    ...ownHostFields,
  }),
  data: link,
  example: {
    body: { hostId: HOST_ID, datasetId: DATASET_ID, avatarId: AVATAR_ID },
    data: exampleLink,
  },
  refusals: ['dataset-not-found', 'avatar-not-found', 'host-full'],
  scope: 'manage',
});

export const unlinkDatasetAvatar = operation({
  effect: 'changes',
  summary: 'Unlink a dataset from an avatar',
  description:
    'From the next turn on, the avatar no longer reads the dataset. Idempotent: the deleted link is returned. linkDatasetAvatarHelper restores it.',
  tag: 'knowledge',
  path: `${SVC}/unlinkDatasetAvatarHelper`,
  body: object({ ...hostFields, datasetId, avatarId }),
  data: link,
  example: {
    body: { hostId: HOST_ID, datasetId: DATASET_ID, avatarId: AVATAR_ID },
    data: { ...exampleLink, deleted: true },
  },
  refusals: ['dataset-not-found', 'avatar-not-found', 'link-not-found'],
  scope: 'manage',
});
