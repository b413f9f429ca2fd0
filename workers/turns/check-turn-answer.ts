import type { UnsupportedAction } from '../../db/avatars.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { type Span, splitSentences } from '../../text/sentences.ts';
import type { AnswerGrounds } from '../domain/alignment/answer-grounds.ts';
import { type CheckedAnswer, checkAnswer } from '../domain/alignment/check-answer.ts';
import { saysNotFound } from '../domain/gaps/says-not-found.ts';
import type { DialogueItem } from '../domain/prompts/prompt.ts';
import type { HandlerJob } from '../runtime/job.ts';
import { runInSlices } from '../runtime/run-in-slices.ts';
import { contextTextsOf, standingTextsOf } from './given-texts.ts';
import type { TurnInput } from './input.ts';
import type { OpenTurn } from './open-turn.ts';
import { withholdSentences } from './withhold.ts';

type Response = DataOf<'reason'>;

/** What the answer stands on. */
export interface AnswerCheck {
  readonly sources: Response['sources'];
  readonly unsupported: Response['unsupported'];
  /** For the receipt: what was found in the answer as the model gave it, and what was done. */
  readonly check: {
    readonly action: 'none' | UnsupportedAction;
    readonly unsupported: readonly { readonly kind: string; readonly text: string }[];
  };
}

export const NO_CHECK: AnswerCheck = {
  sources: [],
  unsupported: [],
  check: { action: 'none', unsupported: [] },
};

type Checkable = Pick<OpenTurn, 'avatar' | 'conversation' | 'data' | 'context' | 'flowState'>;

/** The texts that the answer may rest on. The assistant's own earlier figures are no source for themselves. */
export function answerGroundsOf(
  { body }: Pick<HandlerJob<'reason'>, 'body'>,
  { question }: TurnInput,
  open: Checkable,
  results: readonly string[],
): AnswerGrounds {
  const { conversation, data, context } = open;
  return {
    question: question ?? '',
    passages: context.chunks.map(chunk => chunk.body),
    standing: standingTextsOf(open),
    others: [
      ...results,
      ...contextTextsOf(body, open),
      ...context.dialogue.map(supportedTextOf),
      conversation.userName,
      JSON.stringify(data.userData),
    ].filter(text => text !== '' && text !== '{}'),
  };
}

/** Without the figures that stood nowhere when it was said. */
function supportedTextOf({ content, unsupported = [] }: DialogueItem): string {
  let text = '';
  let done = 0;
  for (const { from, to } of unsupported) {
    text += content.slice(done, from);
    done = to;
  }
  return text + content.slice(done);
}

/** Checks the answer, and withholds what it has to. The offsets are those of the returned text. */
export async function checkTurnAnswer(
  answer: string,
  grounds: AnswerGrounds,
  { avatar: { onUnsupported }, context: { chunks } }: Checkable,
  signal: AbortSignal,
): Promise<AnswerCheck & { readonly text: string }> {
  if (answer === '') return { ...NO_CHECK, text: answer };
  const found = await runInSlices(checkAnswer(answer, grounds), signal);
  const unsupported = found.unsupported
    .filter(({ elsewhere }) => !elsewhere)
    .map(({ kind, text }) => ({ kind, text }));
  const action = unsupported.length === 0 ? 'none' : onUnsupported;
  const text = action === 'withhold' ? await withholdSentences(answer, grounds, signal) : answer;
  const checked = text === answer ? found : await runInSlices(checkAnswer(text, grounds), signal);
  return {
    text,
    sources: sourcesOf(checked, chunks, saysNotFound(answer) ? findRefusal(text) : text.length),
    unsupported: checked.unsupported.map(figure => ({ ...figure })),
    check: { action, unsupported },
  };
}

/** Where the answer begins to say that it does not have what was asked. */
function findRefusal(text: string): number {
  const isRefusal = ({ from, to }: Span) => saysNotFound(text.slice(from, to));
  return splitSentences(text).find(isRefusal)?.from ?? 0;
}

/** A refusal, and what it offers instead, stands on no passage, although it names their subjects. */
function sourcesOf(
  { sources }: CheckedAnswer,
  chunks: OpenTurn['context']['chunks'],
  refusal: number,
): Response['sources'] {
  return sources.flatMap(({ passage, sentences: carried }) => {
    const chunk = chunks[passage];
    const sentences = carried.filter(({ from }) => from < refusal);
    if (!chunk || sentences.length === 0) return [];
    const { chunkId, datasetId, documentId, documentTitle: title } = chunk;
    const ofDocument = documentId === null ? {} : { documentId, title: title ?? '' };
    return [{ chunkId, datasetId, ...ofDocument, sentences: sentences.map(span => ({ ...span })) }];
  });
}
