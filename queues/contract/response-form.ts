import type { ModelResponse } from './model-response.ts';

/*
 * A response as clients of OpenAI read it: `api` makes one of a turn that it asked, `workers` of a stored one.
 */

/** The turn of a response; its job has this id. */
export interface ResponsePlace {
  readonly conversationId: string;
  readonly jobId: string;
}

/** Ids of responses and of their messages have the conversation in hexadecimal, and the start of the job's id. */
const ownId =
  /^(?:resp|msg)_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})([0-9a-f]{16})$/;
/** Job ids begin so. */
const JOB_MARK = 'k';

export function responseIdOf(prefix: 'resp' | 'msg', { conversationId, jobId }: ResponsePlace): string {
  return `${prefix}_${conversationId.replaceAll('-', '')}${jobId.slice(JOB_MARK.length).slice(0, 16)}`;
}

/** The conversation of the response or message, and how the id of its turn begins. Undefined: it is none of ours. */
export function placeIn(
  id: string,
): { readonly conversationId: string; readonly turnStart: string } | undefined {
  const [, ...parts] = ownId.exec(id) ?? [];
  const start = parts.pop();
  return start === undefined
    ? undefined
    : { conversationId: parts.join('-'), turnStart: `${JOB_MARK}${start}` };
}

type Begun = Omit<ModelResponse, 'parley'>;

/** A response before it has an answer, to a request that sets nothing. */
export function begunResponse(place: ResponsePlace, createdAt: number, model: string): Begun {
  return {
    id: responseIdOf('resp', place),
    object: 'response',
    created_at: Math.floor(createdAt / 1_000),
    status: 'in_progress',
    background: false,
    incomplete_details: null,
    error: null,
    instructions: null,
    max_output_tokens: null,
    previous_response_id: null,
    model,
    output: [],
    parallel_tool_calls: true,
    reasoning: { effort: null, summary: null },
    store: true,
    temperature: null,
    text: { format: { type: 'text' }, verbosity: null },
    top_p: null,
    tool_choice: 'auto',
    tools: [],
    truncation: 'disabled',
    metadata: {},
    usage: null,
    user: null,
  };
}

/** An answer of a turn, as far as a response tells of it. */
interface ResponseAnswer {
  readonly text: string;
  readonly isTruncated: boolean;
  readonly modelCalls: readonly CountedCall[];
}

export function endedResponse(begun: Begun, place: ResponsePlace, answer: ResponseAnswer): Begun {
  const { cached, ...tokens } = tokensOf(answer.modelCalls);
  const status = statusOf(answer);
  return {
    ...begun,
    status,
    incomplete_details: answer.isTruncated ? { reason: 'max_output_tokens' } : null,
    output: [outputOf(place, status, [partOf(answer.text)])],
    usage: {
      input_tokens: tokens.input,
      input_tokens_details: { cached_tokens: cached, cache_write_tokens: 0 },
      output_tokens: tokens.output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: tokens.input + tokens.output,
    },
  };
}

export function statusOf({ isTruncated }: Pick<ResponseAnswer, 'isTruncated'>): 'completed' | 'incomplete' {
  return isTruncated ? 'incomplete' : 'completed';
}

type Message = ModelResponse['output'][number];

export function outputOf(
  place: ResponsePlace,
  status: Message['status'],
  content: Message['content'],
): Message {
  return { id: responseIdOf('msg', place), type: 'message', status, role: 'assistant', content };
}

export function partOf(text: string): Message['content'][number] {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

/** A call of a model, as receipts have it. Those of earlier versions do not divide its tokens. */
interface CountedCall {
  readonly tokens: number;
  readonly input_tokens?: number | undefined;
  readonly cached_tokens?: number | undefined;
  readonly output_tokens?: number | undefined;
}

/** Counts the tokens of the calls that produced the answer, like `tokensControl`. */
export function tokensOf(calls: readonly CountedCall[]) {
  const answered = calls.filter(({ tokens }) => tokens > 0);
  const sumOf = (count: (call: CountedCall) => number) =>
    answered.reduce((sum, call) => sum + count(call), 0);
  return {
    input: sumOf(call => call.input_tokens ?? call.tokens),
    cached: sumOf(call => call.cached_tokens ?? 0),
    output: sumOf(call => call.output_tokens ?? 0),
  };
}
