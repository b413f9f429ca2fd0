/** A summary of a conversation, without its heat score. */
export interface InsightSummary {
  /** The name that the end user said; '' if unknown. */
  readonly userName: string;
  readonly dialogueSummary: string;
  readonly mainTopic: string;
  readonly tip: string;
  readonly sentimentScore: number;
  readonly sentimentScoreExplanation: string;
  readonly categories: readonly string[];
}

export interface Insight extends InsightSummary {
  readonly heatScore: number;
  readonly heatScoreDescription: string;
  readonly heatAdjustment: number;
  readonly by: 'none' | 'rules' | 'model';
}

export interface DialogueMessage {
  readonly author: 'user' | 'assistant' | 'human' | 'system';
  readonly content: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export function textsOfPerson(messages: readonly DialogueMessage[]): string[] {
  return messages.filter(({ author }) => author === 'user').map(({ content }) => content);
}
