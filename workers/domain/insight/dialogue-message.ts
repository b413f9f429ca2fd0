export interface DialogueMessage {
  readonly author: 'user' | 'assistant' | 'human' | 'system';
  readonly content: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The messages of the end user, in order. */
export function textsOfPerson(messages: readonly DialogueMessage[]): string[] {
  return messages.filter(({ author }) => author === 'user').map(({ content }) => content);
}
