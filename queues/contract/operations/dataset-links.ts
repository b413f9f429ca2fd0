import { operation } from '../operation.ts';
import { field, object, uuid } from '../shape.ts';
import { exampleTimes, flags, times } from './dataset-shape.ts';
import { AVATAR_ID, DATASET_ID, HOST_ID, LINK_ID } from './example-ids.ts';
import { avatarId, avatarName, datasetId, datasetName, hostFields, ownHostFields } from './fields.ts';
import { SVC } from './paths.ts';

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
  queue: 'catalog',
  tag: 'knowledge',
  method: 'POST',
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
  status: 200,
  refusals: ['dataset-not-found', 'avatar-not-found', 'host-full'],
  scope: 'manage',
  hosts: 'one',
});

export const unlinkDatasetAvatar = operation({
  effect: 'changes',
  summary: 'Unlink a dataset from an avatar',
  description:
    'From the next turn on, the avatar no longer reads the dataset. Idempotent: the deleted link is returned. linkDatasetAvatarHelper restores it.',
  queue: 'catalog',
  tag: 'knowledge',
  method: 'POST',
  path: `${SVC}/unlinkDatasetAvatarHelper`,
  body: object({ ...hostFields, datasetId, avatarId }),
  data: link,
  example: {
    body: { hostId: HOST_ID, datasetId: DATASET_ID, avatarId: AVATAR_ID },
    data: { ...exampleLink, deleted: true },
  },
  status: 200,
  refusals: ['dataset-not-found', 'avatar-not-found', 'link-not-found'],
  scope: 'manage',
  hosts: 'one',
});
