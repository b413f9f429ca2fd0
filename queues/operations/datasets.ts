import { operation } from '../operation.ts';
import { answerList, dateTime, flag, list, object, oneOf, optional, text, uuid } from '../shape.ts';
import { AVATAR_ID, DATASET_ID, HOST_ID, LINK_ID } from './example-ids.ts';
import { SVC } from './paths.ts';

const MOST_AVATARS = 1_000;

const avatarIds = list(uuid(), { max: MOST_AVATARS });
const datasetType = oneOf('common_rag', 'filtered_rag');

const listed = { id: uuid(), dataset_name: text(), dataset_type: datasetType };
const times = { created_at: dateTime(), updated_at: dateTime() };
const flags = { visible: flag(), deleted: flag() };
const dataset = object({ ...listed, ...times, ...flags, expires: dateTime() });

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
  method: 'POST',
  path: `${SVC}/datasetsListHelper`,
  body: object({ hostId: uuid(), avatarIds: optional(avatarIds), choosenHostId: optional(uuid()) }),
  data: answerList(object({ ...listed, ...times })),
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
  method: 'POST',
  path: `${SVC}/createDatasetsHelper`,
  body: object({
    hostId: uuid(),
    datasetName: text(),
    datasetType: optional(datasetType),
    expires: optional(dateTime()),
    avatarIds: optional(avatarIds),
    choosenHostId: optional(uuid()),
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
  method: 'POST',
  path: `${SVC}/editDatasetHelper`,
  body: object({
    id: uuid(),
    hostId: uuid(),
    datasetName: optional(text()),
    visible: optional(flag()),
    deleted: optional(flag()),
    expires: optional(dateTime()),
    choosenHostId: optional(uuid()),
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
  method: 'POST',
  path: `${SVC}/linkDatasetAvatarHelper`,
  body: object({
    datasetId: uuid(),
    avatarId: uuid(),
    hostId: optional(uuid()),
    choosenHostId: optional(uuid()),
  }),
  data: object({
    id: uuid(),
    dataset_name: text(),
    avatar_id: uuid(),
    avatar_name: text(),
    dataset_id: uuid(),
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
