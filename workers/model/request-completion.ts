import { SpanKind } from '@opentelemetry/api';
import type OpenAI from 'openai';
import { runInSpan } from '../../platform/span.ts';
import type { Masking } from '../domain/masking/masking.ts';
import { makePieceUnmasker } from '../domain/masking/unmask-pieces.ts';
import type { CallAccount, SpendLedger } from './call-account.ts';
import { readTokens } from './completion.ts';
import type { Spender } from './spender.ts';
import { readWhole, streamCompletion } from './stream-completion.ts';
import { isUnbilled } from './unbilled.ts';

/** The model sent nothing of its answer for too long; another one is asked in the rest of the time. */
export class SilentModelError extends Error {}

/** Where a model is called. */
export interface ModelTarget {
  readonly client: OpenAI;
  readonly model: string;
  /**
   * The longest time without a piece of the answer: to the first one, and from each to the next. Headers, blanks and signs
   * of life are none. An answer that is sent as a whole may take twice as long in all. Undefined: as long as the signal allows.
   */
  readonly patienceMs: number | undefined;
}

export interface RequestOptions {
  /** Sent as a header, so that the provider's bill and log distinguish the kinds of calls. */
  readonly purpose: 'turn' | 'insight' | 'agent';
  /** The host on whose behalf the model is asked, with its budget. */
  readonly spender: Spender;
  readonly signal: AbortSignal;
  /** Of the conversation, or `NO_MASKING`: the caller deals with plain text only. */
  readonly masking: Masking;
  /** Set where a client reads the answer while it is generated. */
  readonly textListener?: TextListener | undefined;
}

/** Gets the texts of the calls of a turn while they are generated, as plain text. */
export interface TextListener {
  /** A call begins: the texts of those before it are void. */
  begin(): void;
  add(piece: string): void;
}

type CompletionRequest = Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, 'stream'>;

/** The longest answer, in tokens, where the host has a budget. */
export const MAX_ANSWER_TOKENS = 4_096;

/** Requests a completion. What it costs is recorded before its answer is used. */
export async function requestOnAccount(
  { client, model, patienceMs }: ModelTarget,
  request: CompletionRequest,
  options: RequestOptions,
  ledger: SpendLedger,
): Promise<Pick<OpenAI.ChatCompletion, 'model'>> {
  const { spender, purpose, signal } = options;
  // A token has at least one byte.
  const maxTokens = () => Buffer.byteLength(JSON.stringify(request)) + MAX_ANSWER_TOKENS;
  const account: CallAccount = await ledger.open(spender, { model, purpose, signal, maxTokens });
  if (signal.aborted) await account.settle(0);
  signal.throwIfAborted();
  try {
    const span = { kind: SpanKind.CLIENT, attributes: { model, purpose } };
    const completion = await runInSpan('model', span, () =>
      requestCompletion(client, request, options, patienceMs),
    );
    await account.settle(readTokens(completion) || undefined);
    return completion;
  } catch (error) {
    await account.settle(isUnbilled(error) ? 0 : undefined);
    throw error;
  }
}

async function requestCompletion(
  client: OpenAI,
  request: CompletionRequest,
  { signal, purpose, masking, textListener }: RequestOptions,
  patienceMs: number | undefined,
): Promise<Pick<OpenAI.ChatCompletion, 'model'>> {
  const silence = limitSilence(patienceMs);
  const options = {
    signal: AbortSignal.any([signal, silence.signal]),
    headers: { 'X-Parley-Purpose': purpose },
  };
  const { onPiece, onPart, onFinish } = silence;
  try {
    if (textListener) {
      const unmask = makePieceUnmasker(masking);
      const onText = (piece: string) => textListener.add(unmask(piece));
      return await streamCompletion(client, request, options, { onPiece, onPart, onFinish, onText });
    }
    const response = await client.chat.completions.create(request, options).asResponse();
    return await readWhole(response, onPart);
  } catch (error) {
    if (silence.signal.aborted && !signal.aborted) throw new SilentModelError();
    throw error;
  } finally {
    silence.end();
  }
}

/** For the numbers of tokens, which come after the answer. */
const AFTER_FINISH_MS = 1_000;

/** Of the patience, for a whole answer: one that trickles in would leave no time for the next model. */
const TIMES_FOR_WHOLE = 2;

/** Its signal is aborted when no piece comes in time. */
function limitSilence(patienceMs: number | undefined) {
  const begunAt = performance.now();
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const wait = (withinMs: number | undefined) => {
    clearTimeout(timer);
    if (withinMs !== undefined) timer = setTimeout(() => controller.abort(), Math.max(0, withinMs));
  };
  wait(patienceMs);
  return {
    signal: controller.signal,
    onPiece: () => wait(patienceMs),
    onPart: () => {
      if (patienceMs === undefined) return;
      const left = begunAt + TIMES_FOR_WHOLE * patienceMs - performance.now();
      wait(Math.min(patienceMs, left));
    },
    onFinish: () => wait(AFTER_FINISH_MS),
    end: () => wait(undefined),
  };
}
