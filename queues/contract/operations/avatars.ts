import { MAX_BODY_BYTES } from '../body-limit.ts';
import { operation } from '../operation.ts';
import { field, integer, list, object, optional, patternText, responseList, text, uuid } from '../shape.ts';
import { AVATAR_ID, DATASET_ID, HOST_ID } from './example-ids.ts';
import {
  avatarId,
  avatarName,
  choosenHostId,
  datasetId,
  datasetName,
  expires,
  hostId,
  MAX_DATASETS,
  model,
} from './fields.ts';
import { SVC } from './paths.ts';

const picture = text({ min: 0, max: 2_000 });
const subSlug = field(
  'Short name of the avatar, unique within its host; a turn selects the avatar by sending it as `subSlug`.',
  text(),
);
const linkedDatasets = field(
  'The datasets that are linked to the avatar and that it may read.',
  responseList(object({ dataset_name: datasetName, dataset_id: datasetId, expires })),
);

const host = object({
  host_id: field('Id of the host; other calls take it as `hostId` or `host_id`.', uuid()),
  host_slug: field('Short name of the host, unique in this installation.', text()),
  host_name: field('Display name of the host.', text()),
  host_config: field(
    'Limits for the knowledge of the host.',
    object({
      max_chunks: field('Maximum number of chunks for one turn.', integer()),
      chunk_size_limit: field('Maximum length of a chunk, in characters.', integer()),
    }),
  ),
});

const avatar = object({
  hostPicture: field('URL of the picture of the host; empty for none.', picture),
  avatarPicture: field('URL of the picture of the avatar; empty for none.', picture),
  avatar_id: avatarId,
  avatar_name: field('Name of the assistant.', text()),
  sub_slug: subSlug,
  datasets: linkedDatasets,
});

export const listAvatars = operation({
  summary: 'List the avatars of a host and their datasets',
  description: 'Clients also use this to look up the ids of the host and its avatars.',
  queue: 'catalog',
  tag: 'avatars',
  method: 'POST',
  path: `${SVC}/avatarsListHelper`,
  body: object({
    host_slug: field('Short name of the host. Must be the host of the token, or the chosen host.', text()),
    choosenHostId,
  }),
  data: object({
    avatarsAdminList: field(
      'The host and its avatars.',
      object({
        host: field('The host itself.', host),
        avatars: field(
          'The avatars of the host; the oldest one answers turns that do not specify an avatar.',
          responseList(avatar),
        ),
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
  avatar_picture: field('URL of the picture of the avatar; empty for none.', picture),
  avatar_name: avatarName,
  prompt_envelop: field(
    'System prompt of the avatar: its role and its style.',
    text({ min: 0, max: MAX_BODY_BYTES }),
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
  summary: 'Update an avatar',
  description:
    'Updates only the given fields. An empty `model` selects the default model. The response is cached for 30 minutes ' +
    'for identical bodies, until the avatar is written to again.',
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
  cache: { seconds: 1_800, table: 'avatars', idField: 'avatar_id' },
  refusals: ['sub-avatar-missing'],
  scope: 'manage',
  hosts: 'one',
});

export const createSubAvatar = operation({
  summary: 'Create a sub-avatar',
  description:
    'A turn selects it by its `sub_slug`. With `avatar_id`, omitted fields and the datasets are copied from that avatar.',
  queue: 'catalog',
  tag: 'avatars',
  method: 'POST',
  path: `${SVC}/createSubAvatarHelper`,
  body: object({
    host_id: hostId,
    sub_slug: field(
      'Short name of the avatar, unique within the host: 2 to 63 lower-case letters, digits and hyphens.',
      patternText(/^[a-z0-9][a-z0-9-]{1,62}$/),
    ),
    avatar_name: avatarName,
    avatar_picture: optional(avatarFields.avatar_picture),
    prompt_envelop: optional(avatarFields.prompt_envelop),
    model: optional(model),
    avatar_id: field(
      'Id of the avatar to copy omitted fields from: picture, prompt, model and datasets. When absent: nothing is copied.',
      optional(uuid()),
    ),
    dataset_ids: field(
      'Ids of the datasets that the avatar may read. When absent: those of `avatar_id`, if given.',
      optional(list(uuid(), { max: MAX_DATASETS })),
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
  refusals: ['avatar-not-found', 'dataset-not-found', 'sub-slug-taken', 'host-full'],
  scope: 'manage',
  hosts: 'one',
});
