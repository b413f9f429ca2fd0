import type { AnswerPiece } from '../../queues/contract/answer-piece.ts';
import type { TextListener } from '../model/request-completion.ts';

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
    for (; sentLength < text.length; sentLength += MAX_PIECE_LENGTH)
      send({ version, at: sentLength, text: text.slice(sentLength, sentLength + MAX_PIECE_LENGTH) });
    sentLength = text.length;
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
