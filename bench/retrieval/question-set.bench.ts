export interface Question {
  /** The index of the passage with the answer. */
  readonly passage: number;
  readonly text: string;
  /** Earlier questions, for a follow-up. */
  readonly earlier: readonly string[];
  /** The last message of the assistant; empty if the dialogue has none. */
  readonly lastAnswer: string;
  readonly kind: string;
  /** Words of the passage that a right answer has. */
  readonly span?: string;
}

export interface QuestionSet {
  readonly name: string;
  readonly passages: readonly string[];
  readonly questions: readonly Question[];
}

/** The second half is measured, but nobody looks at it while tuning the search. */
export type Half = 'tuning' | 'held out';

/** A hash of the text decides, so that a question stays in its half when others are added. */
export function halfOf({ text, earlier }: Question): Half {
  let hash = 2_166_136_261;
  for (const character of [...earlier, text].join('\n')) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16_777_619) >>> 0;
  }
  return (hash >>> 16) % 2 === 0 ? 'tuning' : 'held out';
}
