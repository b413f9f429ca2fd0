/**
 * A piece of an answer that is still being generated, from a worker to the process whose client waits for it. A hint:
 * pieces may come late, twice or never, and the reply has the whole answer.
 */
export interface AnswerPiece {
  /** Increases when the text so far is void: after a tool round, a fallback or a new attempt. */
  readonly version: number;
  /** Index of the piece in the text of this version, in UTF-16 code units. */
  readonly at: number;
  readonly text: string;
}

/** A piece of a spoken question, under the same conditions. */
export interface TranscriptPiece {
  /** A later attempt has a higher one. */
  readonly version: number;
  readonly at: number;
  readonly heard: string;
  /** The length of the whole question, in UTF-16 code units. */
  readonly length: number;
}

/** Pieces of a running turn: first its question, if it was spoken, and then its answer. */
export type TurnPiece = TranscriptPiece | AnswerPiece;
