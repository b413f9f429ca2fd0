import { operation } from '../operation.ts';
import { field, mapOf, object, optional, responseList, text, uuid } from '../shape.ts';
import { HOST_ID } from './example-ids.ts';
import { SVC } from './paths.ts';

export const listModels = operation({
  effect: 'reads',
  summary: 'List the language models by provider',
  description:
    'Avatars and flows may use these models. If a provider cannot be reached, the models in its settings are listed. Those of a provider of the host are listed for that host alone, as `name/model`.',
  queue: 'catalog',
  tag: 'models',
  method: 'POST',
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
  status: 200,
  refusals: [],
  scope: 'manage',
  hosts: 'all',
});
