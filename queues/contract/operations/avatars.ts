import { LARGEST_BODY, operation } from '../operation.ts';
import { answerList, field, integer, list, object, optional, patternText, text, uuid } from '../shape.ts';
import { AVATAR_ID, DATASET_ID, HOST_ID } from './example-ids.ts';
import {
  avatarId,
  avatarName,
  choosenHostId,
  datasetId,
  datasetName,
  expires,
  hostId,
  model,
} from './fields.ts';
import { SVC } from './paths.ts';

const MOST_DATASETS = 1_000;

const picture = text({ min: 0, max: 2_000 });
const subSlug = field(
  'Short name of the avatar, unique within its host; a turn picks the avatar by sending it as `subSlug`.',
  text(),
);
const linkedDatasets = field(
  'The datasets that are linked to the avatar, and so may be read by it.',
  answerList(object({ dataset_name: datasetName, dataset_id: datasetId, expires })),
);

const host = object({
  host_id: field('Id of the host; other calls take it as `hostId` or `host_id`.', uuid()),
  host_slug: field('Short name of the host, unique in the installation.', text()),
  host_name: field('Name of the host, as people see it.', text()),
  host_config: field(
    'Limits on the knowledge of the host.',
    object({
      max_chunks: field('Most chunks that one turn gets to read.', integer()),
      chunk_size_limit: field('Longest content of a chunk, in characters.', integer()),
    }),
  ),
});

const avatar = object({
  hostPicture: field('Address of the picture of the host; empty for none.', picture),
  avatarPicture: field('Address of the picture of the avatar; empty for none.', picture),
  avatar_id: avatarId,
  avatar_name: field('Name by which the assistant goes.', text()),
  sub_slug: subSlug,
  datasets: linkedDatasets,
});

export const listAvatars = operation({
  summary: 'The avatars of a host, with the datasets that each reads',
  description: 'Also where a client learns the ids of its host and avatars.',
  queue: 'catalog',
  tag: 'avatars',
  method: 'POST',
  path: `${SVC}/avatarsListHelper`,
  body: object({
    host_slug: field(
      'Short name of the host. It has to be the host of the token, or the chosen one.',
      text(),
    ),
    choosenHostId,
  }),
  data: object({
    avatarsAdminList: field(
      'The host, and what stands in it.',
      object({
        host: field('The host itself.', host),
        avatars: field('Its avatars; the oldest answers turns that name none.', answerList(avatar)),
      }),
    ),
  }),
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
            avatar_name: 'Lia',
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
  avatar_id: avatarId,
  sub_slug: subSlug,
  avatar_picture: field('Address of the picture of the avatar; empty for none.', picture),
  avatar_name: avatarName,
  prompt_envelop: field(
    'Instructions to the model that stand before every conversation of the avatar: who it is, how it speaks.',
    text({ min: 0, max: LARGEST_BODY }),
  ),
  model,
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
  tag: 'avatars',
  method: 'POST',
  path: `${SVC}/editAvatarHelper`,
  body: object({
    avatar_id: avatarId,
    host_id: hostId,
    avatar_name: optional(avatarFields.avatar_name),
    avatar_picture: optional(avatarFields.avatar_picture),
    prompt_envelop: optional(avatarFields.prompt_envelop),
    model: optional(model),
    choosenHostId,
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
  tag: 'avatars',
  method: 'POST',
  path: `${SVC}/createSubAvatarHelper`,
  body: object({
    host_id: hostId,
    sub_slug: field(
      'Short name to give it, unique within the host: 2 to 63 lower-case letters, digits and hyphens.',
      patternText(/^[a-z0-9][a-z0-9-]{1,62}$/),
    ),
    avatar_name: avatarName,
    avatar_picture: optional(avatarFields.avatar_picture),
    prompt_envelop: optional(avatarFields.prompt_envelop),
    model: optional(model),
    avatar_id: field(
      'Id of an avatar to copy from: picture, prompt, model and datasets that are absent here. When absent: nothing is copied.',
      optional(uuid()),
    ),
    dataset_ids: field(
      'Ids of the datasets that it may read. When absent: those of `avatar_id`, else none.',
      optional(list(uuid(), { max: MOST_DATASETS })),
    ),
    choosenHostId,
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
