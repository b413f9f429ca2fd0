/** What is to be known of a conversation at a glance, but for its heat. */
export interface Glance {
  /** As the person gave it; '' where it was not said. */
  readonly userName: string;
  readonly dialogueSummary: string;
  readonly mainTopic: string;
  readonly tip: string;
  readonly sentimentScore: number;
  readonly sentimentScoreExplanation: string;
  readonly categories: readonly string[];
}

/** All of it, with who wrote it. */
export interface Insight extends Glance {
  readonly heatScore: number;
  readonly heatScoreDescription: string;
  readonly heatAdjustment: number;
  readonly by: 'none' | 'rules' | 'model';
}
