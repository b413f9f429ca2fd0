import { operation } from '../operation.ts';
import { answerList, field, mapOf, object, text } from '../shape.ts';
import { SVC } from './paths.ts';

export const listModels = operation({
  summary: 'The models that an avatar or a flow may name, by provider',
  description: 'A provider that cannot be asked shows the models that its settings name.',
  queue: 'catalog',
  tag: 'models',
  method: 'POST',
  path: `${SVC}/modelListHelper`,
  aliases: [`${SVC}/modelsListHelper`],
  body: object({}),
  data: field('Names of models, by the name of their provider.', mapOf(answerList(text()), { max: 1_000 })),
  example: { body: {}, data: { offline: ['offline-extractive'] } },
  status: 200,
  refusals: [],
  scope: 'manage',
  hosts: 'all',
});
