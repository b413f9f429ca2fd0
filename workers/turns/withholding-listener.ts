import { type AnswerGrounds, listGroundTexts } from '../domain/alignment/answer-grounds.ts';
import { makeSupport, type Support } from '../domain/alignment/support.ts';
import { makeSentenceGate } from '../domain/alignment/withhold-sentences.ts';
import { NOT_FOUND } from '../domain/prompts/not-found-text.ts';
import type { TextListener } from '../model/request-completion.ts';
import { runInSlices } from '../runtime/run-in-slices.ts';

/**
 * Passes on only sentences whose figures have a source. The last sentence comes with the reply. `results` are those of
 * the tools so far: more come with each round.
 */
export async function withholdFrom<T extends TextListener>(
  listener: T,
  grounds: AnswerGrounds,
  results: readonly string[],
): Promise<T> {
  const support = makeSupport();
  for (const { text } of listGroundTexts(grounds)) await runInSlices(support.readSteps(text));
  let read = 0;
  const readResults = () => {
    for (; read < results.length; read += 1) readAll(support, results[read] ?? '');
  };
  const open = () => makeSentenceGate(support.hasAllOf, NOT_FOUND);
  let gate = open();
  return {
    ...listener,
    begin() {
      readResults();
      gate = open();
      listener.begin();
    },
    add(piece) {
      const given = gate.add(piece);
      if (given !== '') listener.add(given);
    },
  };
}

/** A result of a tool has a limit, so it is read at once. */
function readAll(support: Support, text: string): void {
  const steps = support.readSteps(text);
  while (!steps.next().done);
}
