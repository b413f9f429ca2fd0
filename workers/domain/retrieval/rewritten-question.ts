import { oneLineOf } from '../../../text/lines.ts';
import { isQuestion } from '../gaps/question-words.ts';

/*
 * A question whose words find little is asked for in other words. The model that writes them has not seen the knowledge, and may
 * answer anything: its words only search, and what they find stands beside what was found before.
 */

/** A question has found little where less of it stands in the first passage (`coverageOf`): 9 of 100 about real documents. */
const LITTLE = 0.4;
/** A longer text is an essay, and no question. */
const MAX_LENGTH = 300;
/** The part of the passages that the rewritten question may take: a model that wrote random words cost 1 right one in 94. */
const ADDED = 0.3;

/** Whether the words of this message have to be asked for anew: a "thank you" finds little, too. */
export function findsLittle(message: string, coverage: number): boolean {
  return coverage < LITTLE && isQuestion(message);
}

/** Returns the question of the model's answer; undefined where it is none to search by. */
export function rewrittenOf(answer: string): string | undefined {
  const line = oneLineOf(answer, MAX_LENGTH + 1);
  return line.length > MAX_LENGTH || line === '' ? undefined : line;
}

interface Found<T> {
  /** Best first. */
  readonly chunks: readonly T[];
  readonly coverage: number;
}

/**
 * Puts the first passages of the rewritten question behind the first ones of before, in the place of the last ones. Words of which
 * no more stands in a passage than of the question's own are no better: an essay, or an order to the model.
 */
export function mergeRewritten<T extends { readonly chunkId: string }>(
  before: Found<T>,
  rewritten: Found<T>,
  limit: number,
): readonly T[] {
  if (rewritten.coverage <= before.coverage) return before.chunks;
  const pairs = Array.from({ length: limit }, (_, at) => [
    before.chunks[at],
    at < limit * ADDED ? rewritten.chunks[at] : undefined,
  ]).flat();
  const chunks = pairs.filter(chunk => chunk !== undefined);
  const isFirst = ({ chunkId }: T, at: number) => chunks.findIndex(other => other.chunkId === chunkId) === at;
  return chunks.filter(isFirst).slice(0, limit);
}
