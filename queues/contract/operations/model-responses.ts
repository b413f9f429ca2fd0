import { MAX_RESPONSE_ID_LENGTH, type ModelResponse, modelResponse } from '../model-response.ts';
import { operation } from '../operation.ts';
import { begunResponse, endedResponse } from '../response-form.ts';
import { field, object, oneOf, optional, text } from '../shape.ts';
import { CONVERSATION_ID, JOB_ID, RESPONSE_ID } from './example-ids.ts';
import { exampleReceipt } from './turn-receipt.ts';

const place = { conversationId: CONVERSATION_ID, jobId: JOB_ID };

export const exampleResponse: ModelResponse = endedResponse(
  begunResponse(place, 1_767_225_600_000, 'principal'),
  place,
  {
    text: 'A secretaria atende das 8h às 21h.',
    isTruncated: false,
    modelCalls: exampleReceipt.modelCalls,
  },
);

export const readResponse = operation({
  effect: 'reads',
  summary: 'Read a response of OpenAI clients',
  description:
    'Also of one that runs, was cancelled or failed. Its settings and its metadata are not kept. It is erased with its conversation.',
  tag: 'OpenAI',
  method: 'GET',
  path: '/v1/responses/:response_id',
  body: object({
    response_id: field(
      '`id` of an answer, as `/v1/responses` gave it.',
      text({ max: MAX_RESPONSE_ID_LENGTH }),
    ),
    stream: field(
      'Not supported: an answer is streamed once, while it is generated.',
      optional(oneOf('false')),
    ),
  }),
  data: modelResponse,
  example: { body: { response_id: RESPONSE_ID }, data: exampleResponse },
  responseForm: 'bare',
  refusals: ['answer-not-found'],
  scope: 'reason',
  hosts: 'all',
});
