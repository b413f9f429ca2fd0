import { type AnswerGrounds, listGroundTexts } from '../domain/alignment/answer-grounds.ts';
import { makeSupport, type Support } from '../domain/alignment/support.ts';
import { makeSentenceGate } from '../domain/alignment/withhold-sentences.ts';
import { NOT_FOUND } from '../domain/prompts/not-found-text.ts';
import type { TextListener } from '../model/model-call.ts';
import { runInSlices } from '../runtime/run-in-slices.ts';

/** The answer without the sentences that have a figure without a source. */
export async function withholdSentences(
  answer: string,
  grounds: AnswerGrounds,
  signal: AbortSignal,
): Promise<string> {
  const gate = openGate(await readSupport(grounds, signal));
  return gate.add(answer) + gate.end();
}

/**
 * Passes on only sentences whose figures have a source. The last sentence comes with the reply. `results` are those of
 * the tools so far: more come with each round.
 */
export async function withholdFrom<T extends TextListener>(
  listener: T,
  grounds: AnswerGrounds,
  results: readonly string[],
  signal: AbortSignal,
): Promise<T> {
  const support = await readSupport(grounds, signal);
  let read = 0;
  const readResults = () => {
    for (; read < results.length; read += 1) readAll(support, results[read] ?? '');
  };
  let gate = openGate(support);
  return {
    ...listener,
    begin() {
      readResults();
      gate = openGate(support);
      listener.begin();
    },
    add(piece) {
      const given = gate.add(piece);
      if (given !== '') listener.add(given);
    },
  };
}

async function readSupport(grounds: AnswerGrounds, signal: AbortSignal): Promise<Support> {
  const support = makeSupport();
  for (const { text } of listGroundTexts(grounds)) await runInSlices(support.readSteps(text), signal);
  return support;
}

function openGate(support: Support) {
  return makeSentenceGate(support.openCheck(), NOT_FOUND);
}

/** A result of a tool has a limit, so it is read at once. */
function readAll(support: Support, text: string): void {
  const steps = support.readSteps(text);
  while (!steps.next().done);
}
