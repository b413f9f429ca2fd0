import { oneLineOf } from '../one-line.ts';
import { insightProperties, insightSchema } from '../prompts/insight-schema.ts';
import { argumentsProblems, type Problem } from '../schema-problems.ts';
import { storableText } from '../storable.ts';
import type { Glance } from './insight.ts';

/** What a model makes of a conversation; a text is empty where it had nothing to say. */
export interface InsightAnswer extends Glance {
  /** Its own opinion; how much of it counts is not its business. */
  readonly heatScore: number;
  readonly heatScoreDescription: string;
}

/** A model that is not held to the schema may add something; what it leaves out makes the answer useless, but for a name. */
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

/** The model's answer within its bounds, or what is wrong with it. */
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
