/**
 * A piece of an answer that is still being generated, from a worker to the process whose client waits for it. A hint:
 * pieces may come late, twice or never, and the reply has the whole answer.
 */
export interface AnswerPiece {
  /** Increases when the text so far is void: after a tool round, a fallback or a new attempt. */
  readonly version: number;
  /** Where in the text of this version the piece stands, in UTF-16 code units. */
  readonly at: number;
  readonly text: string;
}

/** A piece of a question that was spoken, under the same conditions. */
export interface TranscriptPiece {
  /** It is higher for a later attempt. */
  readonly version: number;
  readonly at: number;
  readonly heard: string;
  /** The length of the whole question, in UTF-16 code units. */
  readonly length: number;
}

/** What comes while a turn runs: first its question, where that was spoken, and then its answer. */
export type TurnPiece = TranscriptPiece | AnswerPiece;
