import { operation } from '../operation.ts';
import { field, mapOf, object, responseList, text } from '../shape.ts';
import { SVC } from './paths.ts';

export const listModels = operation({
  effect: 'reads',
  summary: 'List the language models by provider',
  description:
    'Avatars and flows may use these models. If a provider cannot be reached, the models in its settings are listed.',
  queue: 'catalog',
  tag: 'models',
  method: 'POST',
  path: `${SVC}/modelListHelper`,
  aliases: [`${SVC}/modelsListHelper`],
  body: object({}),
  data: field('Names of models by name of provider.', mapOf(responseList(text()), { max: 1_000 })),
  example: { body: {}, data: { offline: ['offline-extractive'] } },
  status: 200,
  refusals: [],
  scope: 'manage',
  hosts: 'all',
});
