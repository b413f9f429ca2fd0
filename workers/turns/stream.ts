import { runInSlices } from '../../platform/run-in-slices.ts';
import type { AnswerPiece, TranscriptPiece } from '../../queues/contract/answer-piece.ts';
import { listSourceTexts, type SourceTexts } from '../domain/alignment/check-answer.ts';
import { piecesToRead } from '../domain/alignment/read-source-piece.ts';
import { makeSupport, type Support } from '../domain/alignment/support.ts';
import { makeSentenceGate, type SentenceGate } from '../domain/alignment/withhold-sentences.ts';
import { languageTextsOf } from '../domain/prompts/language-texts.ts';
import type { TextListener } from '../model/model-call.ts';

/** Milliseconds between pieces: more pieces would only cost the queue's store. */
const SEND_EVERY_MS = 50;
/** A sealed piece of this length fits in a message of both stores. */
const MAX_PIECE_LENGTH = 1_500;
/** Each attempt has this many versions, so the next attempt has higher ones. */
const VERSIONS_PER_ATTEMPT = 10_000;

export interface AnswerStream extends TextListener {
  /** Adds the results of tools, on which figures of the answer may rest. */
  addResults(results: readonly string[]): void;
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
    addResults() {},
    close: () => clearTimeout(timer),
  };
}

/** Sends a question that was spoken to the client of its turn. */
export function sendTranscript(
  send: (piece: TranscriptPiece) => void,
  attempt: number,
  question: string,
): void {
  const { length } = question;
  for (let at = 0; at < length; ) {
    const heard = pieceOf(question, at);
    send({ version: attempt, at, heard, length });
    at += heard.length;
  }
}

/** Never splits a character, unless half of one is all that is left. */
function pieceOf(text: string, from: number): string {
  const piece = text.slice(from, from + MAX_PIECE_LENGTH);
  const isCut = piece.length === MAX_PIECE_LENGTH && /[\uD800-\uDBFF]$/.test(piece);
  return isCut ? piece.slice(0, -1) : piece;
}

interface WithholdOptions {
  readonly signal: AbortSignal;
  /** The language that the avatar speaks. */
  readonly language: string;
}

/** Leaves out the sentences with a figure that has no source. */
export async function withholdSentences(
  answer: string,
  sourceTexts: SourceTexts,
  { signal, language }: WithholdOptions,
): Promise<string> {
  const gate = openGate(await readSupport(sourceTexts, signal), language);
  return runInSlices(withholdSteps(answer, gate), signal);
}

/** Returns the part of the answer that passes the gate. Yields after each piece. */
function* withholdSteps(answer: string, gate: SentenceGate): Generator<void, string> {
  let given = '';
  for (const piece of piecesToRead(answer)) {
    given += gate.add(piece);
    yield;
  }
  return given + gate.end();
}

/** Passes on only sentences whose figures have a source. The last sentence comes with the reply. */
export async function withholdFrom(
  stream: AnswerStream,
  sourceTexts: SourceTexts,
  { signal, language }: WithholdOptions,
): Promise<AnswerStream> {
  const support = await readSupport(sourceTexts, signal);
  let gate = openGate(support, language);
  return {
    begin() {
      gate = openGate(support, language);
      stream.begin();
    },
    add(piece) {
      const supported = gate.add(piece);
      if (supported !== '') stream.add(supported);
    },
    addResults(results) {
      for (const result of results) readAll(support, result);
    },
    close: () => stream.close(),
  };
}

async function readSupport(sourceTexts: SourceTexts, signal: AbortSignal): Promise<Support> {
  const support = makeSupport();
  for (const { text, fact } of listSourceTexts(sourceTexts))
    await runInSlices(support.readSteps(text, fact), signal);
  return support;
}

function openGate(support: Support, language: string): SentenceGate {
  return makeSentenceGate(support.openCheck(), languageTextsOf(language).notFound);
}

/** Tool results have limited length, so they are read in one go. */
function readAll(support: Support, text: string): void {
  const steps = support.readSteps(text);
  while (!steps.next().done);
}
