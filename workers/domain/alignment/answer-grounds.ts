/** The texts that an answer may rest on. */
export interface AnswerGrounds {
  readonly question: string;
  /** Passages of the knowledge, which are named as sources. */
  readonly passages: readonly string[];
  /** Texts of many turns, such as the prompt of the avatar. */
  readonly standing: readonly string[];
  /** Results of tools, the dialogue, and the context that was given. */
  readonly others: readonly string[];
}

export interface GroundText {
  readonly text: string;
  /** Undefined for another text than a passage. */
  readonly passage: number | undefined;
  readonly isRepeated: boolean;
}

/** The passages first: of two texts that carry a sentence alike, the first is named. */
export function groundTextsOf({ question, passages, standing, others }: AnswerGrounds): GroundText[] {
  return [
    ...passages.map((text, passage) => ({ text, passage, isRepeated: true })),
    ...standing.map(text => ({ text, passage: undefined, isRepeated: true })),
    ...[...others, question].map(text => ({ text, passage: undefined, isRepeated: false })),
  ];
}
