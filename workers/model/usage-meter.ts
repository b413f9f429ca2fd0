import { runInSlices } from '../../platform/run-in-slices.ts';
import { loadCountTokens } from './count-tokens.ts';
import type { TokenUsage } from './prices.ts';
import { type CompletionRequest, ModelError, type OfferedTool, type ToolCall } from './provider.ts';

/*
 * Measures what a call takes: the provider's report or, if that is missing or cannot be true, the tokens counted in the texts.
 * A call that breaks off takes its last report, or the part of the answer that has come. If nothing has come, it takes nothing
 * where its connection broke, and the longest answer where it was ended by us: its provider may have gone on.
 */

/** The longest answer, in tokens, of a host with a budget. */
export const MAX_ANSWER_TOKENS = 4_096;

/** Providers add this to a prompt, such as the descriptions of their formats. */
const MAX_ADDED_TOKENS = 16_384;
/** No model writes more tokens, including thoughts. */
const MAX_OUTPUT_TOKENS = 1_000_000;
/** No tokenizer has a longer token. */
const MAX_TOKEN_BYTES = 128;
const TOKENS_PER_MESSAGE = 4;
/** No model takes more than the first number for one picture; one that is not reported counts as the second. */
const MAX_IMAGE_TOKENS = 50_000;
const USUAL_IMAGE_TOKENS = 1_500;
/** Texts are counted in parts, between which other work is done. */
const PART_LENGTH = 65_536;

export interface MeasuredUsage extends TokenUsage {
  /** Counted here, because the provider did not report it. */
  readonly isEstimated: boolean;
}

interface ReceivedAnswer {
  readonly text?: string | undefined;
  readonly toolCalls: readonly ToolCall[];
}

export interface UsageMeter {
  onUsage(reported: TokenUsage | undefined): void;
  onText(piece: string): void;
  /** Called for each part of the answer. */
  onPiece(): void;
  /** The most that the call can take. */
  most(): TokenUsage;
  /** Without an argument it measures a call that broke off. */
  measure(answer?: ReceivedAnswer): Promise<MeasuredUsage>;
  /** Undefined where nothing is billed for a call that failed so. */
  measureFailed(error: unknown): Promise<MeasuredUsage | undefined>;
}

export function makeUsageMeter(request: CompletionRequest): UsageMeter {
  let reported: TokenUsage | undefined;
  let received = '';
  let hasBegun = false;
  const images = request.messages.reduce(
    (sum, message) => sum + ('images' in message ? (message.images?.length ?? 0) : 0),
    0,
  );
  // Pictures are not paid for by their bytes.
  const withoutImages = (name: string, value: unknown) => (name === 'images' ? undefined : value);
  const bytes = () =>
    Buffer.byteLength(JSON.stringify(request, images > 0 ? withoutImages : undefined)) +
    images * MAX_IMAGE_TOKENS;

  const meter: UsageMeter = {
    onUsage: usage => {
      reported = usage;
    },
    onPiece: () => {
      hasBegun = true;
    },
    onText: piece => {
      received += piece;
    },
    // A token has at least one byte.
    most: () => ({ input: bytes(), cached: 0, output: MAX_ANSWER_TOKENS }),
    async measure(answer) {
      const texts = answer ? textsOf(answer) : [received];
      if (reported && isPlausible(reported, bytes) && mayBeOf(texts, reported))
        return { ...reported, isEstimated: false };
      const [prompt, counted] = [await countTexts(promptTextsOf(request)), await countTexts(texts)];
      const input = prompt + TOKENS_PER_MESSAGE * request.messages.length + USUAL_IMAGE_TOKENS * images;
      return {
        input,
        cached: 0,
        output: answer || counted > 0 ? counted : MAX_ANSWER_TOKENS,
        isEstimated: true,
      };
    },
    async measureFailed(error) {
      if (error instanceof ModelError && error.isUnbilled) return undefined;
      const isBroken = error instanceof ModelError && error.reason === 'unusable answer: cut short';
      return isBroken && !hasBegun && !reported ? undefined : meter.measure();
    },
  };
  return meter;
}

/** Whether a request of this many bytes can have taken this. They are counted only where the input is longer than any may be. */
export function isPlausible({ input, cached, output }: TokenUsage, bytes: () => number): boolean {
  const isWhole = [input, cached, output].every(tokens => Number.isSafeInteger(tokens) && tokens >= 0);
  return (
    isWhole &&
    input > 0 &&
    cached <= input &&
    output <= MAX_OUTPUT_TOKENS &&
    (input <= MAX_ADDED_TOKENS || input <= bytes() + MAX_ADDED_TOKENS)
  );
}

/** Whether an answer of this many tokens can have these texts. */
function mayBeOf(texts: readonly string[], { output }: TokenUsage): boolean {
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return bytes <= output * MAX_TOKEN_BYTES;
}

/** Never fails: without the tokenizer each byte counts as one token, and no text has more. */
export async function countTexts(texts: readonly string[]): Promise<number> {
  const countTokens = await loadCountTokens().catch(() => (text: string) => Buffer.byteLength(text));
  return runInSlices(countSteps(texts, countTokens));
}

function* countSteps(
  texts: readonly string[],
  countTokens: (text: string) => number,
): Generator<void, number> {
  let tokens = 0;
  for (const text of texts)
    for (let from = 0; from < text.length; from += PART_LENGTH) {
      tokens += countTokens(text.slice(from, from + PART_LENGTH));
      yield;
    }
  return tokens;
}

function promptTextsOf({ messages, tools = [], answerSchema }: CompletionRequest): string[] {
  const sent = messages.flatMap(message => [
    message.content,
    ...('toolCalls' in message ? message.toolCalls.flatMap(textsOfCall) : []),
  ]);
  const forms = [...tools.map(formOf), ...(answerSchema ? [answerSchema] : [])];
  return [...sent, ...forms.map(form => JSON.stringify(form))];
}

/** Picks the fields of a tool that are sent. */
function formOf({ name, description, parameters }: OfferedTool): OfferedTool {
  return { name, description, parameters };
}

function textsOf({ text = '', toolCalls }: ReceivedAnswer): string[] {
  return [text, ...toolCalls.flatMap(textsOfCall)];
}

function textsOfCall({ name, arguments: args }: ToolCall): string[] {
  return [name, args];
}
