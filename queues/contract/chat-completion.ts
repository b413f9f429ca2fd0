import { MAX_BODY_BYTES, MAX_DOCUMENT_BODY_BYTES } from './body-limit.ts';
import { stepChoice } from './operations/flow-step-shape.ts';
import { answerSource, MAX_DIALOGUE_ITEMS } from './operations/turn-shape.ts';
import {
  anyValue,
  either,
  field,
  flag,
  integer,
  list,
  nullable,
  object,
  oneOf,
  openObject,
  optional,
  responseList,
  type TypeOf,
  text,
  uuid,
} from './shape.ts';

/*
 * A turn in the form of OpenAI's chat completions: the fields of a request that Parley reads, and its answer. Other fields, such
 * as `temperature`, are ignored: the avatar decides.
 */

const content = text({ min: 0, max: MAX_BODY_BYTES });
/** Providers allow as many; any tool is refused, with the reason. */
export const MAX_TOOLS = 128;
const bytes = text({ min: 0, max: MAX_DOCUMENT_BODY_BYTES });

/** The kinds of a part that the last message of the user may have. */
export const partTypes = ['text', 'image_url', 'input_audio', 'file'] as const;

const knownPart = openObject({
  type: field(
    'Kind of the part. In the last `user` message, what is not text is an attachment of the turn.',
    oneOf(...partTypes),
  ),
  text: field('What the author wrote, in a part of kind `text`.', optional(content)),
  image_url: field(
    'Of an `image_url`: a picture.',
    optional(openObject({ url: field('A `data:` URL in base64, or an address.', bytes) })),
  ),
  input_audio: field(
    'Of an `input_audio`: a recording.',
    optional(
      openObject({
        data: field('The bytes in base64.', bytes),
        format: field('Ignored: the bytes tell it.', optional(text({ min: 0 }))),
      }),
    ),
  ),
  file: field(
    'Of a `file`: a document.',
    optional(
      openObject({
        file_data: field('The bytes in base64, or a `data:` URL in base64.', bytes),
        filename: field('Name of the file. When absent: none.', optional(text({ min: 0 }))),
      }),
    ),
  ),
});

/** A part that another model put into an earlier message, such as a refusal. */
const otherPart = openObject({
  type: field('Another kind: of its `text` or `refusal` an earlier message is made.', text({ max: 100 })),
});

const message = openObject({
  role: field(
    'Author: `system` and `developer` give context; the last `user` message is the question; what a `tool` or `function` gave is passed over.',
    oneOf('system', 'developer', 'user', 'assistant', 'tool', 'function'),
  ),
  content: field(
    'Text of the message, or its parts.',
    optional(either(content, list(either(knownPart, otherPart), { max: MAX_DIALOGUE_ITEMS }))),
  ),
  name: field('Name of the author.', optional(text({ min: 0 }))),
});

export const chatRequest = openObject({
  model: field('`sub_slug` of the avatar that answers, or `host_slug/sub_slug`.', text({ max: 500 })),
  messages: field('The dialogue so far, oldest first.', list(message, { min: 1, max: MAX_DIALOGUE_ITEMS })),
  stream: field('Whether to send the answer while it is generated. When absent: false.', optional(flag())),
  stream_options: field(
    'Settings of the stream.',
    optional(
      openObject({
        include_usage: field('Whether the stream ends with the usage. When absent: false.', optional(flag())),
      }),
    ),
  ),
  user: field(
    'The end user, one for each person. When absent or blank: the conversation is the one with the history of the request, unless it names one.',
    optional(text({ min: 0 })),
  ),
  metadata: field(
    'Data of the request.',
    optional(
      openObject({
        conversation_id: field('Id of an existing conversation.', optional(uuid())),
      }),
    ),
  ),
  n: field('Number of answers: 1.', optional(integer({ min: 1, max: 1 }))),
  tools: field(
    'Not supported: an assistant has its own tools.',
    optional(list(anyValue(), { max: MAX_TOOLS })),
  ),
  functions: field(
    'Not supported: an assistant has its own tools.',
    optional(list(anyValue(), { max: MAX_TOOLS })),
  ),
  response_format: field(
    'Form of the answer.',
    optional(openObject({ type: field('Only `text`.', oneOf('text')) })),
  ),
});

export type ChatRequest = TypeOf<typeof chatRequest>;
export type ChatMessage = ChatRequest['messages'][number];
export type ChatPart = Exclude<NonNullable<ChatMessage['content']>, string>[number];

const usage = object({
  prompt_tokens: field('Tokens of the prompts of all calls to models in this turn.', integer({ min: 0 })),
  completion_tokens: field('Tokens of the answers of these calls.', integer({ min: 0 })),
  total_tokens: field('The sum of both.', integer({ min: 0 })),
});

const choice = object({
  index: field('Place in the list: always 0.', integer()),
  message: field(
    'The message of the assistant.',
    object({
      role: field('Always `assistant`.', oneOf('assistant')),
      content: field('The answer.', text({ min: 0, max: MAX_BODY_BYTES })),
      refusal: field('Always null.', nullable(text())),
    }),
  ),
  logprobs: field('Always null.', nullable(text())),
  finish_reason: field(
    '`length` if the server of the model cut the answer, which ends with its last whole sentence; otherwise `stop`.',
    oneOf('stop', 'length'),
  ),
});

/** The fields of an answer that only Parley has. */
export const parleyOfTurn = openObject({
  conversationId: field(
    'Id of the conversation; send it as `metadata.conversation_id` to go on in it.',
    uuid(),
  ),
  turnId: field('Id of this turn, as in receipts and logs.', text()),
  wppParsed: field('The answer as WhatsApp messages.', responseList(anyValue())),
  choices: field('What the person may choose from. Absent without any.', optional(responseList(stepChoice))),
  askHumanHelp: field('Whether a staff member is asked for.', flag()),
  sources: field('Passages that carry sentences of the answer.', responseList(answerSource)),
});

export const chatCompletion = object({
  id: field('Id of the completion.', text()),
  object: field('Always `chat.completion`.', oneOf('chat.completion')),
  created: field('Time of the answer, in seconds since 1970.', integer()),
  model: field('As requested.', text({ max: 500 })),
  choices: field('One answer.', responseList(choice)),
  usage: field('Tokens of the turn.', usage),
  parley: field('What only Parley has.', parleyOfTurn),
});

export type ChatCompletion = TypeOf<typeof chatCompletion>;
