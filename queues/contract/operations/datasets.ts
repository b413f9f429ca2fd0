import { operation } from '../operation.ts';
import { answerList, dateTime, field, object, oneOf, optional, text, uuid } from '../shape.ts';
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
  hostId,
  ownHostId,
  updatedAt,
  visible,
} from './fields.ts';
import { SVC } from './paths.ts';

const datasetType = field(
  '`common_rag`: every turn may read every chunk; `filtered_rag`: a turn reads the chunks whose front-matter its data meet.',
  oneOf('common_rag', 'filtered_rag'),
);

const datasetFields = {
  id: field('Id of the dataset.', uuid()),
  dataset_name: datasetName,
  dataset_type: datasetType,
};
const times = { created_at: createdAt, updated_at: updatedAt };
const flags = { visible, deleted };
const dataset = object({ ...datasetFields, ...times, ...flags, expires });

const exampleTimes = { created_at: '2026-02-02T12:00:00.000Z', updated_at: '2026-02-02T12:00:00.000Z' };
const exampleListed = {
  id: DATASET_ID,
  dataset_name: 'Guia do aluno',
  dataset_type: 'common_rag',
  ...exampleTimes,
} as const;
const exampleDataset = {
  ...exampleListed,
  visible: true,
  deleted: false,
  expires: '2100-01-01T00:00:00.000Z',
} as const;

export const listDatasets = operation({
  summary: 'The datasets of a host',
  description:
    'By name. With `avatarIds` only those that are linked to one of these avatars. Hidden and expired ones are ' +
    'listed, deleted ones are not.',
  queue: 'catalog',
  tag: 'knowledge',
  method: 'POST',
  path: `${SVC}/datasetsListHelper`,
  body: object({
    hostId,
    avatarIds: avatarIds('Only datasets that one of these avatars may read. When absent: all of the host.'),
    choosenHostId,
  }),
  data: answerList(object({ ...datasetFields, ...times })),
  example: { body: { hostId: HOST_ID, avatarIds: [AVATAR_ID] }, data: [exampleListed] },
  status: 200,
  refusals: [],
  scope: 'manage',
  hosts: 'one',
});

export const createDataset = operation({
  summary: 'Make a dataset, and let avatars read it',
  description:
    'Of a `filtered_rag` dataset a turn sees the chunks alone whose front-matter its `globalData` or `userData` meets. ' +
    '`expires` is 2100-01-01 where it is left out; a date, or a time without offset, is in the time zone of the host. ' +
    'Where an avatar is unknown nothing is made.',
  queue: 'catalog',
  tag: 'knowledge',
  method: 'POST',
  path: `${SVC}/createDatasetsHelper`,
  body: object({
    hostId,
    datasetName: field('Name to give the dataset, as people shall see it.', text()),
    datasetType: field(
      '`common_rag` (when absent): every turn may read every chunk; `filtered_rag`: only chunks whose front-matter its data meet.',
      optional(datasetType),
    ),
    expires: field(
      'From when on it is read no more; a date without a time is local midnight of the host. When absent: 2100-01-01.',
      optional(dateTime()),
    ),
    avatarIds: avatarIds('Ids of the avatars that may read it. When absent: none, until it is linked.'),
    choosenHostId,
  }),
  data: dataset,
  example: {
    body: {
      hostId: HOST_ID,
      datasetName: 'Guia do aluno',
      datasetType: 'common_rag',
      avatarIds: [AVATAR_ID],
    },
    data: exampleDataset,
  },
  status: 200,
  refusals: ['avatar-not-found'],
  scope: 'manage',
  hosts: 'one',
});

export const editDataset = operation({
  summary: 'Rename, hide, delete or let expire a dataset',
  description:
    'Only what is given changes. `deleted: false` brings a deleted dataset back, with its chunks and links.',
  queue: 'catalog',
  tag: 'knowledge',
  method: 'POST',
  path: `${SVC}/editDatasetHelper`,
  body: object({
    id: datasetId,
    hostId,
    datasetName: field('New name of the dataset. When absent: as it is.', optional(text())),
    visible: optional(visible),
    deleted: field(
      'True deletes the dataset, false brings it back. When absent: as it is.',
      optional(deleted),
    ),
    expires: field(
      'From when on it is read no more; a date without a time is local midnight of the host. When absent: as it is.',
      optional(dateTime()),
    ),
    choosenHostId,
  }),
  data: dataset,
  example: {
    body: { id: DATASET_ID, hostId: HOST_ID, visible: false },
    data: { ...exampleDataset, visible: false },
  },
  status: 200,
  refusals: ['dataset-not-found'],
  scope: 'manage',
  hosts: 'one',
});

export const linkDatasetAvatar = operation({
  summary: 'Let an avatar read a dataset',
  description: 'Asked for again, it is the same link, readable again if it was deleted or hidden meanwhile.',
  queue: 'catalog',
  tag: 'knowledge',
  method: 'POST',
  path: `${SVC}/linkDatasetAvatarHelper`,
  body: object({
    datasetId,
    avatarId,
    hostId: ownHostId,
    choosenHostId,
  }),
  data: object({
    id: field('Id of the link between the dataset and the avatar.', uuid()),
    dataset_name: datasetName,
    avatar_id: avatarId,
    avatar_name: avatarName,
    dataset_id: datasetId,
    ...times,
    ...flags,
  }),
  example: {
    body: { datasetId: DATASET_ID, avatarId: AVATAR_ID },
    data: {
      id: LINK_ID,
      dataset_name: 'Guia do aluno',
      avatar_id: AVATAR_ID,
      avatar_name: 'Lia',
      dataset_id: DATASET_ID,
      ...exampleTimes,
      visible: true,
      deleted: false,
    },
  },
  status: 200,
  refusals: ['dataset-not-found', 'avatar-not-found'],
  scope: 'manage',
  hosts: 'one',
});
