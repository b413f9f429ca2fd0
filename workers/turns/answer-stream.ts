import type { AnswerPiece } from '../../queues/contract/answer-piece.ts';
import type { TextListener } from '../model/model-call.ts';

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
