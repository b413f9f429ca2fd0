import { operation } from '../operation.ts';
import { field, flag, list, object, optional, patternText, responseList, text, uuid } from '../shape.ts';
import {
  avatar,
  avatarChanges,
  avatarFields,
  exampleAvatar,
  exampleLinked,
  host,
  linkedDatasets,
} from './avatar-shape.ts';
import { evaluate, evaluateRefusals } from './evaluation-shape.ts';
import { AVATAR_ID, DATASET_ID, HOST_ID } from './example-ids.ts';
import { avatarId, avatarName, choosenHostId, hostId, MAX_DATASETS, model } from './fields.ts';
import { SVC } from './paths.ts';

export const listAvatars = operation({
  effect: 'reads',
  summary: 'List the avatars of a host and their datasets',
  description: 'Clients also use this to look up the ids of the host and its avatars.',
  weight: { kind: 'list', connections: 1 },
  tag: 'avatars',
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
            on_unsupported: 'pass',
            on_failure: 'error',
            datasets: [exampleLinked],
          },
        ],
      },
    },
  },
  scope: 'reason',
});

export const readAvatar = operation({
  effect: 'reads',
  summary: 'Read an avatar',
  description: 'With its prompt, which avatarsListHelper omits.',
  tag: 'avatars',
  path: `${SVC}/readAvatarHelper`,
  body: object({ host_id: hostId, avatar_id: avatarId, choosenHostId }),
  data: object({ ...avatarFields, datasets: linkedDatasets }),
  example: {
    body: { host_id: HOST_ID, avatar_id: AVATAR_ID },
    data: { ...exampleAvatar, datasets: [exampleLinked] },
  },
  refusals: ['avatar-not-found'],
  scope: 'manage',
});

export const editAvatar = operation({
  effect: 'changes',
  summary: 'Update or delete an avatar',
  description:
    'Updates only the given fields; the example has all of them. With `deleted: true` the avatar answers no turn any more, is in no list, and its `sub_slug` may be ' +
    'used again; its conversations, flows and reports stay. The last one of a host cannot be deleted, and a deleted one not be restored. ' +
    'An empty `model` selects the default model. The response is cached for 30 minutes ' +
    'for identical bodies, until the avatar is written to again.',
  tag: 'avatars',
  path: `${SVC}/editAvatarHelper`,
  body: object({
    avatar_id: avatarId,
    host_id: hostId,
    ...avatarChanges,
    deleted: field(
      'True deletes the avatar; it cannot be restored, and `evaluate` is not heeded. When absent: false.',
      optional(flag()),
    ),
    evaluate,
    choosenHostId,
  }),
  data: object({
    ...avatarFields,
    deleted: field('True when this request deleted it; absent otherwise.', optional(flag())),
  }),
  example: {
    body: {
      host_id: HOST_ID,
      avatar_id: AVATAR_ID,
      avatar_name: exampleAvatar.avatar_name,
      avatar_picture: exampleAvatar.avatar_picture,
      prompt_envelop: exampleAvatar.prompt_envelop,
      model: exampleAvatar.model,
      on_unsupported: exampleAvatar.on_unsupported,
      on_failure: exampleAvatar.on_failure,
      failure_text: exampleAvatar.failure_text,
      language: exampleAvatar.language,
      idle_after_minutes: exampleAvatar.idle_after_minutes,
      answer_in_audio: exampleAvatar.answer_in_audio,
      rewrite: exampleAvatar.rewrite,
      deleted: false,
      evaluate: false,
    },
    data: exampleAvatar,
  },
  cache: { seconds: 1_800, table: 'avatars', idField: 'avatar_id' },
  refusals: ['sub-avatar-missing', 'last-avatar', ...evaluateRefusals],
  scope: 'manage',
});

export const createSubAvatar = operation({
  effect: 'adds',
  summary: 'Create a sub-avatar',
  description:
    'A turn selects it by its `sub_slug`. With `avatar_id`, omitted fields and the datasets are copied from that avatar.',
  tag: 'avatars',
  path: `${SVC}/createSubAvatarHelper`,
  body: object({
    host_id: hostId,
    sub_slug: field(
      'Short name of the avatar, unique within the host: 2 to 63 lower-case letters, digits and hyphens.',
      patternText(
        /^[a-z0-9][a-z0-9-]{1,62}$/,
        '2 to 63 lower-case letters, digits and hyphens, a letter or digit first',
      ),
    ),
    avatar_name: avatarName,
    avatar_picture: optional(avatarFields.avatar_picture),
    prompt_envelop: optional(avatarFields.prompt_envelop),
    model: optional(model),
    on_unsupported: optional(avatarFields.on_unsupported),
    on_failure: optional(avatarFields.on_failure),
    failure_text: optional(avatarFields.failure_text),
    language: optional(avatarFields.language),
    idle_after_minutes: optional(avatarFields.idle_after_minutes),
    answer_in_audio: optional(avatarFields.answer_in_audio),
    rewrite: optional(avatarFields.rewrite),
    avatar_id: field(
      'Id of the avatar to copy omitted fields and the datasets from. When absent: nothing is copied.',
      optional(uuid()),
    ),
    dataset_ids: field(
      'Ids of the datasets that the avatar may read. When absent: the datasets of `avatar_id`, if given.',
      optional(list(uuid(), { max: MAX_DATASETS })),
    ),
    new_dataset_name: field(
      'Name of a dataset that is made with the avatar, for it to read. When absent: none is made.',
      optional(text()),
    ),
    choosenHostId,
  }),
  data: object({ ...avatarFields, datasets: linkedDatasets }),
  example: {
    body: {
      host_id: HOST_ID,
      sub_slug: exampleAvatar.sub_slug,
      avatar_name: exampleAvatar.avatar_name,
      avatar_id: AVATAR_ID,
      dataset_ids: [DATASET_ID],
    },
    data: {
      ...exampleAvatar,
      datasets: [exampleLinked],
    },
  },
  status: 201,
  refusals: ['avatar-not-found', 'dataset-not-found', 'sub-slug-taken', 'host-full'],
  scope: 'manage',
});
