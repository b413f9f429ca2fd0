import { type FieldError, fieldError } from '../../../platform/field-error.ts';
import { storableText } from '../../../platform/storable-text.ts';
import { oneLineOf } from '../../../text/lines.ts';
import { insightProperties, insightSchema } from '../prompts/insight-prompt.ts';
import { argumentErrorsOf } from '../schemas/schema-errors.ts';
import type { InsightSummary } from './insight.ts';

/** The answer of the model about a conversation; texts may be empty. Its heat score only moves the score of the rules. */
export interface InsightAnswer extends InsightSummary {
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

const MAX_SUMMARY_LENGTH = 4_000;
const MAX_TEXT_LENGTH = 600;
const MAX_NAME_LENGTH = 120;
const MAX_TOPIC_LENGTH = 120;
const MAX_CATEGORY_LENGTH = 40;
const MAX_CATEGORIES = 5;

/** Returns the model's answer, clamped and truncated, or its errors. */
export function parseInsight(text: string): InsightAnswer | { readonly errors: readonly FieldError[] } {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return { errors: [fieldError('', 'schema', 'is not JSON')] };
  }
  const errors = argumentErrorsOf(readable, answer);
  return errors.length > 0 ? { errors } : clampAnswer(answer as RawAnswer);
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
  const categories = raw.categories.map(name => cleanText(name, MAX_CATEGORY_LENGTH)).filter(Boolean);
  return {
    dialogueSummary: cleanText(raw.dialogue_summary, MAX_SUMMARY_LENGTH),
    userName: storableText(oneLineOf(raw.user_name ?? '', MAX_NAME_LENGTH)),
    mainTopic: cleanText(raw.main_topic, MAX_TOPIC_LENGTH),
    tip: cleanText(raw.tip, MAX_TEXT_LENGTH),
    heatScore: Math.min(Math.max(raw.heat_score, 0), 100),
    heatScoreDescription: cleanText(raw.heat_score_description, MAX_TEXT_LENGTH),
    sentimentScore: Math.min(Math.max(raw.sentiment_score, -1), 1),
    sentimentScoreExplanation: cleanText(raw.sentiment_score_explanation, MAX_TEXT_LENGTH),
    categories: [...new Set(categories)].slice(0, MAX_CATEGORIES),
  };
}

function cleanText(text: string, maxLength: number): string {
  return storableText(text.trim().slice(0, maxLength));
}
