export interface SaidMessage {
  readonly author: 'user' | 'assistant' | 'human' | 'system';
  readonly content: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** What the person wrote, in its order. */
export function textsOfPerson(messages: readonly SaidMessage[]): string[] {
  return messages.filter(({ author }) => author === 'user').map(({ content }) => content);
}
