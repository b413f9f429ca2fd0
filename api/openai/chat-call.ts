import { type ChatRequest, chatCompletion, chatRequest } from '../../queues/contract/chat-completion.ts';
import { operationOf } from '../../queues/contract/operations/index.ts';
import type { Call } from '../call.ts';
import { jsonSchemaOf } from '../openapi/json-schema-of.ts';
import { parametersOf, withRights } from '../openapi/openapi-parameters.ts';
import { reasonsOf, toJsonBody, toJsonContent } from '../openapi/openapi-responses.ts';

const streamText =
  'With `stream`: the chunks of OpenAI, and `data: [DONE]`. The last chunk of the answer has `parley`. A text that became void is followed by an empty line and the new one.';

const requestExample: ChatRequest = {
  model: 'principal',
  messages: [{ role: 'user', content: 'Qual é o horário da secretaria?' }],
};

const completionExample = {
  id: 'chatcmpl-3d1f5a52-6a0e-4a9e-8a64-3c7a7f0e1f10',
  object: 'chat.completion',
  created: 1_767_225_600,
  model: 'principal',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'A secretaria atende das 8h às 21h.', refusal: null },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 580, completion_tokens: 19, total_tokens: 599 },
  parley: {
    conversationId: 'a3b2f5a2-9f0e-4f6a-8b73-2f6f6a3c9f10',
    turnId: 'kf462b110884f4885a8d573c607918cac',
    wppParsed: [{ type: 'text', content: 'A secretaria atende das 8h às 21h.' }],
    askHumanHelp: false,
    sources: [],
  },
};

const turn = operationOf('reason');
const json = toJsonContent(jsonSchemaOf(chatCompletion), completionExample);
const events = { 'text/event-stream': { schema: { type: 'string', description: streamText } } };

/** A turn of the reasoning operation in the form of OpenAI, whose clients take `/v1` as their base URL. */
export const completeChat: Call = {
  name: 'completeChat',
  summary: 'Ask the assistant with a client of OpenAI',
  description: withRights({
    ...turn,
    description:
      'The avatar answers with all it has: its knowledge, flow and tools. Without `metadata.conversation_id` the conversation is the one of the avatar, of `user` and of the ' +
      'messages up to the first question, so a client that sends its history again stays in one conversation. Without `user`, too, it is the newest one, ' +
      'active within 24 hours, whose history the request carries; otherwise a new one.',
  }),
  tag: 'OpenAI',
  method: 'POST',
  path: '/v1/chat/completions',
  parameters: parametersOf({ ...turn, mayRespondAsync: false }),
  requestBody: toJsonBody(jsonSchemaOf(chatRequest), requestExample, true),
  answers: { 200: { content: { ...json.content, ...events } } },
  refusals: reasonsOf(turn),
};
