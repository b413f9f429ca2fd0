import { operation } from '../operation.ts';
import { answerList, mapOf, object, text } from '../shape.ts';
import { SVC } from './paths.ts';

export const listModels = operation({
  summary: 'The models that an avatar or a flow may name, by provider',
  description: 'A provider that cannot be asked shows the models that its settings name.',
  queue: 'catalog',
  method: 'POST',
  path: `${SVC}/modelListHelper`,
  aliases: [`${SVC}/modelsListHelper`],
  body: object({}),
  data: mapOf(answerList(text()), { max: 1_000 }),
  example: { body: {}, data: { offline: ['offline-extractive'] } },
  status: 200,
  refusals: [],
  scope: 'manage',
  hosts: 'all',
});
