import {
  modelResponse,
  type ResponseRequest,
  responseRequest,
} from '../../queues/contract/model-response.ts';
import { operationOf } from '../../queues/contract/operations/index.ts';
import type { Call } from '../call.ts';
import { jsonSchemaOf } from '../openapi/json-schema-of.ts';
import { parametersOf, withRights } from '../openapi/openapi-parameters.ts';
import { reasonsOf, toJsonBody, toJsonContent } from '../openapi/openapi-responses.ts';

const streamText =
  'With `stream`: the events of OpenAI from `response.created` to `response.completed`, which has `parley`; `error` for a failure after the first. A text that became void is followed by an empty line and the new one.';

const requestExample: ResponseRequest = { model: 'principal', input: 'Qual é o horário da secretaria?' };

const answer = 'A secretaria atende das 8h às 21h.';
const responseExample = {
  id: 'resp_a3b2f5a29f0e4f6a8b732f6f6a3c9f103d1f5a526a0e4a9e',
  object: 'response',
  created_at: 1_767_225_600,
  status: 'completed',
  incomplete_details: null,
  error: null,
  instructions: null,
  previous_response_id: null,
  model: 'principal',
  output: [
    {
      id: 'msg_a3b2f5a29f0e4f6a8b732f6f6a3c9f103d1f5a526a0e4a9e',
      type: 'message',
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text: answer, annotations: [], logprobs: [] }],
    },
  ],
  parallel_tool_calls: true,
  temperature: null,
  top_p: null,
  tool_choice: 'auto',
  tools: [],
  metadata: {},
  usage: {
    input_tokens: 580,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 19,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 599,
  },
  parley: {
    conversationId: 'a3b2f5a2-9f0e-4f6a-8b73-2f6f6a3c9f10',
    turnId: 'kf462b110884f4885a8d573c607918cac',
    wppParsed: [{ type: 'text', content: answer }],
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
