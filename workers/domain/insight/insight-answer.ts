import { storableText } from '../../../platform/storable-text.ts';
import { insightProperties, insightSchema } from '../prompts/insight-schema.ts';
import { argumentsProblems, type Problem } from '../schemas/schema-problems.ts';
import { oneLineOf } from '../text/one-line.ts';
import type { InsightSummary } from './insight.ts';

/** The answer of the model about a conversation; texts may be empty. */
export interface InsightAnswer extends InsightSummary {
  /** Only moves the score of the rules, within bounds. */
  readonly heatScore: number;
  readonly heatScoreDescription: string;
}

/** A model without strict mode may add fields; a missing field makes the answer unusable, except for the name. */
const readable = {
  ...insightSchema,
  properties: { ...insightProperties, user_name: { type: ['string', 'null'] } },
  required: insightSchema.required.filter(name => name !== 'user_name'),
  additionalProperties: true,
};

const LONGEST_SUMMARY = 4_000;
const LONGEST_TEXT = 600;
const LONGEST_NAME = 120;
const LONGEST_TOPIC = 120;
const LONGEST_CATEGORY = 40;
const MOST_CATEGORIES = 5;

/** The answer of the model, clamped and truncated, or its problems. */
export function readInsight(given: string): InsightAnswer | { readonly problems: readonly Problem[] } {
  let answer: unknown;
  try {
    answer = JSON.parse(given);
  } catch {
    return { problems: [{ path: '', message: 'is not JSON' }] };
  }
  const problems = argumentsProblems(readable, answer);
  return problems.length > 0 ? { problems } : clampAnswer(answer as RawAnswer);
}

type RawAnswer = Readonly<
  Record<
    Exclude<keyof typeof insightProperties, 'categories' | 'heat_score' | 'sentiment_score' | 'user_name'>,
    string
  >
> & {
  readonly user_name?: string | null;
  readonly heat_score: number;
  readonly sentiment_score: number;
  readonly categories: readonly string[];
};

function clampAnswer(raw: RawAnswer): InsightAnswer {
  const categories = raw.categories.map(name => tidy(name, LONGEST_CATEGORY)).filter(Boolean);
  return {
    dialogueSummary: tidy(raw.dialogue_summary, LONGEST_SUMMARY),
    userName: storableText(oneLineOf(raw.user_name ?? '', LONGEST_NAME)),
    mainTopic: tidy(raw.main_topic, LONGEST_TOPIC),
    tip: tidy(raw.tip, LONGEST_TEXT),
    heatScore: Math.min(Math.max(raw.heat_score, 0), 100),
    heatScoreDescription: tidy(raw.heat_score_description, LONGEST_TEXT),
    sentimentScore: Math.min(Math.max(raw.sentiment_score, -1), 1),
    sentimentScoreExplanation: tidy(raw.sentiment_score_explanation, LONGEST_TEXT),
    categories: [...new Set(categories)].slice(0, MOST_CATEGORIES),
  };
}

function tidy(given: string, longest: number): string {
  return storableText(given.trim().slice(0, longest));
}
