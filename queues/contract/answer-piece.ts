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
