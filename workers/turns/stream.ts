import type { AnswerPiece } from '../../queues/contract/answer-piece.ts';
import { type AnswerGrounds, listGroundTexts } from '../domain/alignment/answer-grounds.ts';
import { makeSupport, type Support } from '../domain/alignment/support.ts';
import { makeSentenceGate } from '../domain/alignment/withhold-sentences.ts';
import { NOT_FOUND } from '../domain/prompts/not-found-text.ts';
import type { TextListener } from '../model/model-call.ts';
import { runInSlices } from '../runtime/run-in-slices.ts';

/** A piece at most every so many milliseconds: more would only cost the queue's store. */
const SEND_EVERY_MS = 50;
/** Fits in a message of both stores, sealed. */
const MAX_PIECE_LENGTH = 1_500;
/** Versions of one attempt; those of the next are higher. */
const VERSIONS_PER_ATTEMPT = 10_000;

export interface AnswerStream extends TextListener {
  close(): void;
}

/**
 * Sends the answer of a turn to its client while it is generated. `start` stands before the text of the model. What is not
 * sent at the end comes with the reply.
 */
export function makeAnswerStream(
  send: (piece: AnswerPiece) => void,
  attempt: number,
  start: string,
): AnswerStream {
  let version = attempt * VERSIONS_PER_ATTEMPT;
  let text = start;
  let sentLength = 0;
  let timer: NodeJS.Timeout | undefined;

  function sendRest(): void {
    timer = undefined;
    if (sentLength === text.length) return;
    while (sentLength < text.length) {
      const piece = pieceOf(text, sentLength);
      send({ version, at: sentLength, text: piece });
      sentLength += piece.length;
    }
    timer = setTimeout(sendRest, SEND_EVERY_MS);
  }

  return {
    begin() {
      if (text.length > start.length) {
        version += 1;
        text = start;
        sentLength = 0;
      }
      if (timer === undefined) sendRest();
    },
    add(piece) {
      text += piece;
      if (timer === undefined) sendRest();
    },
    close: () => clearTimeout(timer),
  };
}

/** Never half of a character, unless it is all that is left. */
function pieceOf(text: string, from: number): string {
  const piece = text.slice(from, from + MAX_PIECE_LENGTH);
  const isCut = piece.length === MAX_PIECE_LENGTH && /[\uD800-\uDBFF]$/.test(piece);
  return isCut ? piece.slice(0, -1) : piece;
}

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
