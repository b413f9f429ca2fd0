import { LARGEST_BODY, operation } from '../operation.ts';
import { answerList, dateTime, integer, list, matching, object, optional, text, uuid } from '../shape.ts';
import { AVATAR_ID, DATASET_ID, HOST_ID } from './example-ids.ts';
import { SVC } from './paths.ts';

const MOST_DATASETS = 1_000;

const picture = text({ min: 0, max: 2_000 });
const promptEnvelop = text({ min: 0, max: LARGEST_BODY });
const linkedDatasets = answerList(object({ dataset_name: text(), dataset_id: uuid(), expires: dateTime() }));

const host = object({
  host_id: uuid(),
  host_slug: text(),
  host_name: text(),
  host_config: object({ max_chunks: integer(), chunk_size_limit: integer() }),
});

const avatar = object({
  hostPicture: picture,
  avatarPicture: picture,
  avatar_id: uuid(),
  sub_slug: text(),
  datasets: linkedDatasets,
});

export const listAvatars = operation({
  summary: 'The avatars of a host, with the datasets that each reads',
  description: 'Also where a client learns the ids of its host and avatars.',
  queue: 'catalog',
  method: 'POST',
  path: `${SVC}/avatarsListHelper`,
  body: object({ host_slug: text(), choosenHostId: optional(uuid()) }),
  data: object({ avatarsAdminList: object({ host, avatars: answerList(avatar) }) }),
  example: {
    body: { host_slug: 'demo' },
    data: {
      avatarsAdminList: {
        host: {
          host_id: HOST_ID,
          host_slug: 'demo',
          host_name: 'Universidade Horizonte',
          host_config: { max_chunks: 10, chunk_size_limit: 8_000 },
        },
        avatars: [
          {
            hostPicture: '',
            avatarPicture: '',
            avatar_id: AVATAR_ID,
            sub_slug: 'principal',
            datasets: [
              { dataset_name: 'Guia do aluno', dataset_id: DATASET_ID, expires: '2100-01-01T00:00:00.000Z' },
            ],
          },
        ],
      },
    },
  },
  status: 200,
  refusals: [],
  scope: 'reason',
  hosts: 'one',
});

const avatarFields = {
  avatar_id: uuid(),
  sub_slug: text(),
  avatar_picture: picture,
  avatar_name: text(),
  prompt_envelop: promptEnvelop,
  model: text({ min: 0 }),
};

const exampleAvatar = {
  avatar_id: AVATAR_ID,
  sub_slug: 'vestibular',
  avatar_picture: 'https://horizonte.example/lia.png',
  avatar_name: 'Lia',
  prompt_envelop: 'Você é a Lia e ajuda quem quer estudar na Universidade Horizonte.',
  model: '',
};

export const editAvatar = operation({
  summary: 'Change an avatar',
  description:
    'Only what is given changes. An empty `model` is the model of the installation. The answer is kept for 30 minutes and ' +
    'given again to the very same body, until something else is written to the avatar.',
  queue: 'catalog',
  method: 'POST',
  path: `${SVC}/editAvatarHelper`,
  body: object({
    avatar_id: uuid(),
    host_id: uuid(),
    avatar_name: optional(text()),
    avatar_picture: optional(picture),
    prompt_envelop: optional(promptEnvelop),
    model: optional(text({ min: 0 })),
    choosenHostId: optional(uuid()),
  }),
  data: object(avatarFields),
  example: {
    body: { host_id: HOST_ID, avatar_id: AVATAR_ID, avatar_name: 'Lia' },
    data: exampleAvatar,
  },
  status: 200,
  cache: { seconds: 1_800, of: 'avatars', field: 'avatar_id' },
  refusals: ['sub-avatar-missing'],
  scope: 'manage',
  hosts: 'one',
});

export const createSubAvatar = operation({
  summary: 'Make a sub-avatar',
  description:
    'A turn picks it by its `sub_slug`. With `avatar_id` it takes what is left out from that avatar, its datasets too.',
  queue: 'catalog',
  method: 'POST',
  path: `${SVC}/createSubAvatarHelper`,
  body: object({
    host_id: uuid(),
    sub_slug: matching(/^[a-z0-9][a-z0-9-]{1,62}$/),
    avatar_name: text(),
    avatar_picture: optional(picture),
    prompt_envelop: optional(promptEnvelop),
    model: optional(text({ min: 0 })),
    avatar_id: optional(uuid()),
    dataset_ids: optional(list(uuid(), { max: MOST_DATASETS })),
    choosenHostId: optional(uuid()),
  }),
  data: object({ ...avatarFields, datasets: linkedDatasets }),
  example: {
    body: { host_id: HOST_ID, sub_slug: 'vestibular', avatar_name: 'Lia', dataset_ids: [DATASET_ID] },
    data: {
      ...exampleAvatar,
      datasets: [
        { dataset_name: 'Guia do aluno', dataset_id: DATASET_ID, expires: '2100-01-01T00:00:00.000Z' },
      ],
    },
  },
  status: 201,
  refusals: ['avatar-not-found', 'dataset-not-found', 'sub-slug-taken'],
  scope: 'manage',
  hosts: 'one',
});
