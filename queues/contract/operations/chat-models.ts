import { MAX_BODY_BYTES } from '../body-limit.ts';
import { operation } from '../operation.ts';
import { field, integer, mapOf, object, oneOf, optional, responseList, text, uuid } from '../shape.ts';
import { HOST_ID } from './example-ids.ts';
import { SVC } from './paths.ts';

const chatModel = object({
  id: field('`sub_slug` of the avatar, or `host_slug/sub_slug`.', text({ max: 500 })),
  object: field('Always `model`.', oneOf('model')),
  created: field('Time of creation, in seconds since 1970.', integer()),
  owned_by: field('Short name of the host.', text()),
});
const principal = { id: 'principal', object: 'model', created: 1_767_225_600, owned_by: 'demo' } as const;

export const readChatModel = operation({
  effect: 'reads',
  summary: 'Read an avatar as a model of OpenAI clients',
  description: 'By its `id`, in which a slash is written as `%2F`.',
  tag: 'OpenAI',
  method: 'GET',
  path: '/v1/models/:model',
  body: object({ model: field('`id` of the model.', text({ min: 0, max: MAX_BODY_BYTES })) }),
  data: chatModel,
  example: { body: { model: 'principal' }, data: principal },
  responseForm: 'bare',
  refusals: ['avatar-not-found'],
  scope: 'reason',
  hosts: 'all',
});

export const listChatModels = operation({
  effect: 'reads',
  summary: 'List the avatars as models of OpenAI clients',
  description: 'For `model` of `/v1/chat/completions`. A token of several hosts gets `host_slug/sub_slug`.',
  tag: 'OpenAI',
  method: 'GET',
  path: '/v1/models',
  body: object({}),
  data: object({
    object: field('Always `list`.', oneOf('list')),
    data: field('The avatars, by host and `sub_slug`.', responseList(chatModel)),
  }),
  example: {
    body: {},
    data: {
      object: 'list',
      data: [principal],
    },
  },
  responseForm: 'bare',
  scope: 'reason',
  hosts: 'all',
});

export const listModels = operation({
  effect: 'reads',
  summary: 'List the language models by provider',
  description:
    'Avatars and flows may use these models. If a provider cannot be reached, the models in its settings are listed. Those of a provider of the host are listed for that host alone, as `name/model`.',
  tag: 'models',
  path: `${SVC}/modelListHelper`,
  aliases: [`${SVC}/modelsListHelper`],
  body: object({
    hostId: field(
      'Id of a host of the token, whose own models are listed, too. When absent: the only host of the token.',
      optional(uuid()),
    ),
  }),
  data: field('Names of models by name of provider.', mapOf(responseList(text()), { max: 1_000 })),
  example: { body: { hostId: HOST_ID }, data: { offline: ['offline-extractive'] } },
  scope: 'manage',
  hosts: 'all',
});
