import { operation } from '../operation.ts';
import { field, object, uuid } from '../shape.ts';
import { exampleTimes, flags, times } from './dataset-shape.ts';
import { AVATAR_ID, DATASET_ID, LINK_ID } from './example-ids.ts';
import { avatarId, avatarName, datasetId, datasetName, ownHostFields } from './fields.ts';
import { SVC } from './paths.ts';

export const linkDatasetAvatar = operation({
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
  refusals: ['dataset-not-found', 'avatar-not-found', 'host-full'],
  scope: 'manage',
  hosts: 'one',
});
