import type { Refusal } from '../../queues/contract/failure.ts';
import { longText } from '../../queues/contract/operations/fields.ts';
import { stepChoice } from '../../queues/contract/operations/flow-step-shape.ts';
import {
  dateTime,
  field,
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  patternText,
  type Shape,
  text,
} from '../../queues/contract/shape.ts';
import type { Call } from '../call.ts';
import { type Json, jsonSchemaOf } from '../openapi/json-schema-of.ts';
import { keyHeader, requestIdHeader } from '../openapi/openapi-parameters.ts';
import { envelopeSchema, toJsonBody, toJsonContent } from '../openapi/openapi-responses.ts';
import { messages } from '../replies/envelope.ts';

/** More than people write in a chat: what a longer one costs, its host pays. */
const MAX_QUESTION = 4_000;
export const SITE_CHAT_PATH = '/site-chat';

export const visitBody = object({});
export const questionBody = object({
  question: field('What the visitor asks.', text({ max: MAX_QUESTION })),
  choice: field('Id of the choice that the visitor took. When absent: the text counts.', optional(text())),
});
export const messagesBody = object({
  after: field(
    'Only messages after the one of this id. When absent: the newest 100.',
    optional(patternText(/^[1-9]\d{0,17}$/, 'the id of a message')),
  ),
});

const staff = field(
  'Whether somebody of the staff is asked to answer (`waiting`), or does (`attending`).',
  oneOf('none', 'waiting', 'attending'),
);
const visit = object({
  visitor: field(
    'The visitor, signed for this chat and this origin: send it as a bearer token. Valid for 30 days.',
    text(),
  ),
  title: field('Title of the chat.', text()),
  greeting: field('What stands before the first question.', longText),
  colour: field('Colour of the chat, such as #1a4fa3.', text()),
});
const answer = object({
  text: field(
    'The answer in Markdown; empty while a staff member answers, and if a newer question is answered with it.',
    longText,
  ),
  choices: field(
    'What the visitor may choose from. Absent without any.',
    optional(list(stepChoice, { max: 1_000 })),
  ),
  staff,
});
const source = object({
  title: field('Name of the document or dataset.', longText),
  text: field('The passage, of at most 2,000 characters.', longText),
  url: field('Address of the document; null if it has none that may be shown.', nullable(longText)),
});
const file = object({
  name: field('Name of the file; null if it has none.', nullable(longText)),
  size: field('Its bytes.', integer({ min: 0 })),
  url: field('Where it is, for a day; a path of this service.', longText),
});
const message = object({
  id: field('Id of the message; it increases within the conversation.', text()),
  from: field('Who wrote it.', oneOf('visitor', 'assistant', 'staff')),
  name: field('Name of the staff member; null for the others.', nullable(longText)),
  text: field('Text of the message.', longText),
  at: field('Time of the message: an instant in UTC, ISO 8601.', dateTime()),
  sources: field('Passages that carry an answer; null for none.', nullable(list(source, { max: 1_000 }))),
  files: field('Files that a staff member sent; null for none.', nullable(list(file, { max: 1_000 }))),
});
const conversation = object({
  staff,
  messages: field('The messages, oldest first.', list(message, { max: 1_000 })),
});

const keyParameter: Json = {
  name: 'key',
  in: 'path',
  required: true,
  description: 'Public key of the chat, as saveSiteChatHelper returned it.',
  schema: { type: 'string' },
  example: 'chat_Zk3v9QmW2sXc7bT1nLr8yA',
};
const originHeader: Json = {
  name: 'Origin',
  in: 'header',
  required: true,
  description: 'Origin of the page, which browsers send. It must be one of the chat.',
  schema: { type: 'string' },
  example: 'https://www.horizonte.example',
};

const securitySchemes = {
  visitor: { type: 'http', scheme: 'bearer', description: 'A visitor of a site, as the visit returned it.' },
};

const commonRefusals: readonly Refusal[] = [
  'request-unreadable',
  'body-invalid',
  'body-not-json',
  'body-in-small-chunks',
  'origin-not-allowed',
  'host-disabled',
  'site-chat-not-found',
  'method-not-allowed',
  'deadline',
  'body-too-large',
  'body-not-supported',
  'expectation-failed',
  'too-many-requests',
  'too-many-guesses',
  'headers-too-large',
  'internal',
  'overloaded',
  'unavailable',
];

interface Declared extends Pick<Call, 'name' | 'summary' | 'description'> {
  readonly last: string;
  readonly body: readonly [shape: Shape<unknown>, example: unknown];
  readonly data: readonly [shape: Shape<unknown>, example: unknown];
  readonly events?: string;
  readonly refusals?: readonly Refusal[];
}

function callOf({ last, body, data, events, refusals = [], ...named }: Declared): Call {
  const json = toJsonContent(envelopeSchema(200, jsonSchemaOf(data[0])), {
    code: 200,
    message: messages[200],
    data: data[1],
  });
  const stream = events && { 'text/event-stream': { schema: { type: 'string', description: events } } };
  return {
    ...named,
    tag: 'site chats',
    method: 'POST',
    path: `${SITE_CHAT_PATH}/:key/${last}`,
    security: last === 'visits' ? [{ visitor: [] }, {}] : [{ visitor: [] }],
    securitySchemes,
    parameters: [keyParameter, originHeader, requestIdHeader, ...(events ? [keyHeader] : [])],
    requestBody: toJsonBody(jsonSchemaOf(body[0]), body[1], last === 'questions'),
    answers: { 200: { content: { ...json.content, ...stream } } },
    refusals: [...commonRefusals, ...(last === 'visits' ? [] : (['visitor-invalid'] as const)), ...refusals],
  };
}

const exampleMessage = {
  id: '4711',
  from: 'assistant',
  name: null,
  text: 'A secretaria atende das 8h às 21h.',
  at: '2026-03-02T14:05:09.120Z',
  sources: [
    {
      title: 'Atendimento',
      text: 'A secretaria atende das 8h às 21h.',
      url: 'https://www.exemplo.edu.br/secretaria',
    },
  ],
  files: null,
};

const visitSite = callOf({
  name: 'visitSite',
  summary: 'Open the chat of a site',
  description:
    'Returns a new visitor, or the one that is sent, for another while. Nothing is stored before the first question.',
  last: 'visits',
  body: [visitBody, {}],
  data: [
    visit,
    {
      visitor:
        'vis_2f3b794f-633c-45b1-a2e2-68c323cd2740.1767225600000.pY2o0m7v1uXK3b9cQz4sWf6hTn8rLdJ5gEaVxIyM0kU',
      title: 'Atendimento',
      greeting: 'Olá! Como posso ajudar?',
      colour: '#1a4fa3',
    },
  ],
});

const askOnSite = callOf({
  name: 'askOnSite',
  summary: 'Ask as a visitor of a site',
  description:
    'A turn of the reasoning operation in the one conversation of the visitor, on the platform `site`. A question that is sent again with its Idempotency-Key gets the same answer, also while that is being made; a visitor who leaves does not cancel it.',
  last: 'questions',
  body: [questionBody, { question: 'Qual é o horário da secretaria?' }],
  data: [answer, { text: 'A secretaria atende das 8h às 21h.', staff: 'none' }],
  events:
    'Server-sent events: `delta` and `replace` `{"text"}` as in the reasoning operation, then one `answer` with the envelope of the JSON response, or `error`.',
  refusals: [
    'key-reused',
    'visitor-limit',
    'address-limit',
    'chat-limit',
    'conversation-not-found',
    'avatar-not-found',
    'budget-exceeded',
    'model-unavailable',
    'model-without-price',
    'interrupted',
  ],
});

const readOnSite = callOf({
  name: 'readOnSite',
  summary: 'Read the own conversation as a visitor of a site',
  description: 'Pages ask again every few seconds while they are open, and so get what the staff writes.',
  last: 'messages',
  body: [messagesBody, { after: '4710' }],
  data: [conversation, { staff: 'none', messages: [exampleMessage] }],
});

/** In the order of the steps that `makeSiteChat` returns. */
export const siteChatCalls = [visitSite, askOnSite, readOnSite] as const;
