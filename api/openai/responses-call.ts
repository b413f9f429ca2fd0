import {
  modelResponse,
  type ResponseRequest,
  responseRequest,
} from '../../queues/contract/model-response.ts';
import { CONVERSATION_ID, JOB_ID } from '../../queues/contract/operations/example-ids.ts';
import { operationOf } from '../../queues/contract/operations/index.ts';
import { exampleResponse } from '../../queues/contract/operations/model-responses.ts';
import type { Call } from '../call.ts';
import { jsonSchemaOf } from '../openapi/json-schema-of.ts';
import { parametersOf, withRights } from '../openapi/openapi-parameters.ts';
import { reasonsOf, toJsonBody, toJsonContent } from '../openapi/openapi-responses.ts';

const streamText =
  'With `stream`: the events of OpenAI from `response.created` to `response.completed`, which has `parley`; `error` for a failure after the first. A text that became void is followed by an empty line and the new one.';

const requestExample: ResponseRequest = { model: 'principal', input: 'Qual é o horário da secretaria?' };

const responseExample = {
  ...exampleResponse,
  parley: {
    conversationId: CONVERSATION_ID,
    turnId: JOB_ID,
    wppParsed: [{ type: 'text', content: 'A secretaria atende das 8h às 21h.' }],
    askHumanHelp: false,
    sources: [],
  },
};

const turn = operationOf('reason');
const json = toJsonContent(jsonSchemaOf(modelResponse), responseExample);
const events = { 'text/event-stream': { schema: { type: 'string', description: streamText } } };

/** A turn of the reasoning operation in the newer form of OpenAI. */
export const createResponse: Call = {
  name: 'createResponse',
  summary: 'Ask the assistant with a client of OpenAI that sends responses',
  description: withRights({
    ...turn,
    description:
      'As `/v1/chat/completions`, in the form of OpenAI’s responses. `previous_response_id`, or an `item_reference` to an answer, is the conversation, whose own history counts; ' +
      'without them, it is found as in a chat.',
  }),
  tag: 'OpenAI',
  method: 'POST',
  path: '/v1/responses',
  parameters: parametersOf({ ...turn, mayRespondAsync: false }),
  requestBody: toJsonBody(jsonSchemaOf(responseRequest), requestExample, true),
  answers: { 200: { content: { ...json.content, ...events } } },
  refusals: reasonsOf(turn),
};
