import { MAX_BODY_BYTES, MAX_DOCUMENT_BODY_BYTES } from './body-limit.ts';
import { MAX_TOOLS, parleyOfTurn } from './chat-completion.ts';
import { MAX_DIALOGUE_ITEMS } from './operations/turn-shape.ts';
import {
  anyValue,
  either,
  field,
  flag,
  integer,
  list,
  mapOf,
  nullable,
  number,
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
 * A turn in the form of OpenAI's responses: the fields of a request that Parley reads, and its answer. Settings of the model, such
 * as `temperature`, are checked and echoed as OpenAI does, and change nothing: the avatar decides. Other fields are ignored.
 */

const content = text({ min: 0, max: MAX_BODY_BYTES });
const bytes = text({ min: 0, max: MAX_DOCUMENT_BODY_BYTES });
export const MAX_RESPONSE_ID_LENGTH = 200;

/** Pairs of `metadata`, and characters of their keys and values: the limits of OpenAI. */
const MAX_PAIRS = 16;
export const MAX_KEY_LENGTH = 64;
export const MAX_VALUE_LENGTH = 512;

const share = (max: number) => number({ min: 0, max });
const truncation = oneOf('auto', 'disabled');
const verbosity = oneOf('low', 'medium', 'high');

/** Kinds of a part that the question may have. */
export const inputTypes = ['input_text', 'input_image', 'input_audio', 'input_file'] as const;

const part = openObject({
  type: field(
    'Kind of the part: `input_text`, `input_image`, `input_audio` or `input_file` in the question, where what is not text is an attachment of the turn; of another kind, such as `output_text` or `refusal`, the text is read.',
    text({ max: 100 }),
  ),
  text: field('The text of the part.', optional(content)),
  image_url: field('Of an `input_image`: a `data:` URL in base64, or an address.', optional(nullable(bytes))),
  input_audio: field(
    'Of an `input_audio`: a recording.',
    optional(openObject({ data: field('The bytes in base64.', bytes) })),
  ),
  file_data: field(
    'Of an `input_file`: the bytes in base64, or a `data:` URL in base64.',
    optional(nullable(bytes)),
  ),
  filename: field('Name of the file. When absent: none.', optional(nullable(text({ min: 0 })))),
});

const item = openObject({
  type: field(
    'Kind of the item. When absent: `message`. An `item_reference` to an answer stands for its conversation; others, such as `reasoning` or `function_call`, are passed over.',
    optional(text({ max: 100 })),
  ),
  role: field(
    'Author of a message: `system` and `developer` give context; the last `user` message is the question.',
    optional(oneOf('system', 'developer', 'user', 'assistant')),
  ),
  content: field(
    'Text of a message, or its parts.',
    optional(either(content, list(part, { max: MAX_DIALOGUE_ITEMS }))),
  ),
  id: field('Of an `item_reference`: which item.', optional(nullable(text({ max: MAX_RESPONSE_ID_LENGTH })))),
});

export const responseRequest = openObject({
  model: field('`sub_slug` of the avatar that answers, or `host_slug/sub_slug`.', text({ max: 500 })),
  input: field(
    'The question, or the dialogue so far, oldest first.',
    either(content, list(item, { min: 1, max: MAX_DIALOGUE_ITEMS })),
  ),
  instructions: field('Context of this turn alone.', optional(nullable(content))),
  previous_response_id: field(
    'Id of an earlier answer: the turn goes on in its conversation, which has its own history. Of `input` only what follows the last answer is read then.',
    optional(nullable(text({ max: MAX_RESPONSE_ID_LENGTH }))),
  ),
  stream: field(
    'Whether to send the answer while it is generated. When absent: false.',
    optional(nullable(flag())),
  ),
  user: field('The end user, one for each person, as in a chat.', optional(nullable(text({ min: 0 })))),
  metadata: field(
    'Pairs of texts, which the answer has, too: keys of at most 64 characters, values of at most 512.',
    optional(
      nullable(
        openObject(
          { conversation_id: field('Id of an existing conversation.', optional(uuid())) },
          { max: MAX_PAIRS },
        ),
      ),
    ),
  ),
  text: field(
    'Form of the answer.',
    optional(
      nullable(
        openObject({
          format: field('Only text.', optional(openObject({ type: field('Only `text`.', oneOf('text')) }))),
          verbosity: field('Echoed: the avatar decides.', optional(nullable(verbosity))),
        }),
      ),
    ),
  ),
  temperature: field('Echoed: the avatar decides.', optional(nullable(share(2)))),
  top_p: field('Echoed: the avatar decides.', optional(nullable(share(1)))),
  max_output_tokens: field('Echoed: the avatar decides.', optional(nullable(integer({ min: 16 })))),
  parallel_tool_calls: field('Echoed. When absent: true.', optional(nullable(flag()))),
  tool_choice: field(
    'Echoed: an assistant has its own tools. When absent: `auto`.',
    optional(nullable(oneOf('auto', 'none'))),
  ),
  truncation: field('Echoed. When absent: `disabled`.', optional(nullable(truncation))),
  reasoning: field(
    'Echoed: the avatar decides.',
    optional(
      nullable(
        openObject({
          effort: field('How long to think.', optional(nullable(text()))),
          summary: field('Of which form a summary of it is.', optional(nullable(text()))),
        }),
      ),
    ),
  ),
  tools: field(
    'Not supported: an assistant has its own tools.',
    optional(nullable(list(anyValue(), { max: MAX_TOOLS }))),
  ),
  background: field(
    'Not supported: `Prefer: respond-async` of the reasoning call is.',
    optional(nullable(flag())),
  ),
  conversation: field('Not supported: `previous_response_id` is.', optional(anyValue())),
  prompt: field('Not supported: an assistant has its own instructions.', optional(anyValue())),
});

export type ResponseRequest = TypeOf<typeof responseRequest>;
export type ResponseItem = Exclude<ResponseRequest['input'], string>[number];
export type ResponsePart = Exclude<NonNullable<ResponseItem['content']>, string>[number];

const output = object({
  id: field('Id of the message; an `item_reference` to it stands for its conversation.', text()),
  type: field('Always `message`.', oneOf('message')),
  status: field('As of the response.', oneOf('completed', 'incomplete', 'in_progress')),
  role: field('Always `assistant`.', oneOf('assistant')),
  content: field(
    'The answer, as one part.',
    responseList(
      object({
        type: field('Always `output_text`.', oneOf('output_text')),
        text: field('The answer.', text({ min: 0, max: MAX_BODY_BYTES })),
        annotations: field('Always empty: `parley.sources` has the passages.', responseList(anyValue())),
        logprobs: field('Always empty.', responseList(anyValue())),
      }),
    ),
  ),
});

const usage = object({
  input_tokens: field('Tokens of the prompts of all calls to models in this turn.', integer({ min: 0 })),
  input_tokens_details: field(
    'Some of these.',
    object({
      cached_tokens: field('Those that the provider had in its cache.', integer({ min: 0 })),
      cache_write_tokens: field('Always 0: they are not told apart.', integer({ min: 0 })),
    }),
  ),
  output_tokens: field('Tokens of the answers of these calls.', integer({ min: 0 })),
  output_tokens_details: field(
    'Some of these.',
    object({
      reasoning_tokens: field('Always 0: tokens of thinking are not told apart.', integer({ min: 0 })),
    }),
  ),
  total_tokens: field('The sum of both.', integer({ min: 0 })),
});

const failedResponse = object({
  code: field('Always `server_error`.', oneOf('server_error')),
  message: field('Why there is no answer.', text()),
});

export const modelResponse = object({
  id: field('Id of the response; send it as `previous_response_id` to go on in its conversation.', text()),
  object: field('Always `response`.', oneOf('response')),
  created_at: field('Time of the request, in seconds since 1970.', integer()),
  status: field(
    '`incomplete` if the server of the model cut the answer, which ends with its last whole sentence. `in_progress` in the first events of a stream. A response that is read may also have `failed`, or been `cancelled` by its client or a newer question.',
    oneOf('completed', 'incomplete', 'in_progress', 'failed', 'cancelled'),
  ),
  background: field('Always false.', flag()),
  incomplete_details: field(
    'Why it is incomplete.',
    nullable(object({ reason: field('Always `max_output_tokens`.', oneOf('max_output_tokens')) })),
  ),
  error: field('Of a response that `failed`; otherwise null.', nullable(failedResponse)),
  instructions: field('As requested.', nullable(content)),
  max_output_tokens: field('As requested.', nullable(integer())),
  previous_response_id: field(
    'As requested; of a response that is read, the answer before it in its conversation.',
    nullable(text()),
  ),
  model: field(
    'As requested; of a response that is read, empty before a turn of its conversation was answered.',
    text({ min: 0, max: 500 }),
  ),
  output: field('One message, the answer; none before there is one.', responseList(output)),
  parallel_tool_calls: field('As requested.', flag()),
  reasoning: field(
    'As requested.',
    object({
      effort: field('How long to think.', nullable(text())),
      summary: field('Of which form a summary of it is.', nullable(text())),
    }),
  ),
  store: field('Always true: conversations are kept.', flag()),
  temperature: field('As requested: the avatar decides.', nullable(share(2))),
  text: field(
    'As requested.',
    object({
      format: field('Form of the answer.', object({ type: field('Always `text`.', oneOf('text')) })),
      verbosity: field('As requested.', nullable(verbosity)),
    }),
  ),
  top_p: field('As requested.', nullable(share(1))),
  tool_choice: field('As requested.', oneOf('auto', 'none')),
  tools: field('Always empty: an assistant has its own tools.', responseList(anyValue())),
  truncation: field('As requested.', truncation),
  metadata: field(
    'As requested; empty of a response that is read.',
    mapOf(text({ min: 0, max: MAX_VALUE_LENGTH }), { max: MAX_PAIRS }),
  ),
  usage: field('Tokens of the turn; null before its end.', nullable(usage)),
  user: field('As requested.', nullable(text({ min: 0 }))),
  parley: field(
    'What only Parley has, as in a chat; absent of a response that is read.',
    optional(parleyOfTurn),
  ),
});

export type ModelResponse = TypeOf<typeof modelResponse>;
