export interface Question {
  /** The index of the passage with the answer. */
  readonly passage: number;
  readonly text: string;
  /** Earlier questions, for a follow-up. */
  readonly earlier: readonly string[];
  readonly kind: string;
}

export interface QuestionSet {
  readonly name: string;
  readonly passages: readonly string[];
  readonly questions: readonly Question[];
}
