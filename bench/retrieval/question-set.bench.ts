export interface Question {
  /** The index of the passage with the answer. */
  readonly passage: number;
  readonly text: string;
  /** Earlier questions, for a follow-up. */
  readonly earlier: readonly string[];
  /** What the assistant wrote last; empty where the dialogue has none. */
  readonly lastAnswer: string;
  readonly kind: string;
  /** The words of the passage that a right answer holds. */
  readonly span?: string;
}

export interface QuestionSet {
  readonly name: string;
  readonly passages: readonly string[];
  readonly questions: readonly Question[];
}

/** Questions of the second half are measured, but not looked at while the search is tuned. */
export type Half = 'tuning' | 'held out';

/** The half follows from a hash of the text, so that it stays when other questions are added. */
export function halfOf({ text, earlier }: Question): Half {
  let hash = 2_166_136_261;
  for (const character of [...earlier, text].join('\n')) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16_777_619) >>> 0;
  }
  return (hash >>> 16) % 2 === 0 ? 'tuning' : 'held out';
}
