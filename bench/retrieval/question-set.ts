export interface Question {
  /** The place of the passage that answers it. */
  readonly passage: number;
  readonly text: string;
  /** What was asked before, where it is a follow-up. */
  readonly earlier: readonly string[];
  readonly kind: string;
}

export interface QuestionSet {
  readonly name: string;
  readonly passages: readonly string[];
  readonly questions: readonly Question[];
}
