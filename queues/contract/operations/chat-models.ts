import { operation } from '../operation.ts';
import { field, integer, object, oneOf, responseList, text } from '../shape.ts';

export const listChatModels = operation({
  effect: 'reads',
  summary: 'List the avatars as models of OpenAI clients',
  description: 'For `model` of `/v1/chat/completions`. A token of several hosts gets `host_slug/sub_slug`.',
  queue: 'catalog',
  tag: 'OpenAI',
  method: 'GET',
  path: '/v1/models',
  body: object({}),
  data: object({
    object: field('Always `list`.', oneOf('list')),
    data: field(
      'The avatars, by host and `sub_slug`.',
      responseList(
        object({
          id: field('`sub_slug` of the avatar, or `host_slug/sub_slug`.', text({ max: 500 })),
          object: field('Always `model`.', oneOf('model')),
          created: field('Time of creation, in seconds since 1970.', integer()),
          owned_by: field('Short name of the host.', text()),
        }),
      ),
    ),
  }),
  example: {
    body: {},
    data: {
      object: 'list',
      data: [{ id: 'principal', object: 'model', created: 1_767_225_600, owned_by: 'demo' }],
    },
  },
  status: 200,
  responseForm: 'bare',
  refusals: [],
  scope: 'reason',
  hosts: 'all',
});
