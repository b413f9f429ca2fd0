import { DAY_MS } from '../time/instant.ts';
import { type HeatFeatures, heatFeaturesOf } from './heat-features.ts';
import type { DialogueMessage, Insight, InsightSummary } from './insight.ts';
import type { InsightAnswer } from './insight-answer.ts';
import { BY_RULES } from './sentiment.ts';
import { summarizeByRules } from './summarize-by-rules.ts';

interface EarlierInsight extends InsightSummary {
  readonly by: Insight['by'];
  readonly heatAdjustment: number;
  readonly heatScoreDescription?: string;
}

export interface InsightInput {
  readonly messages: readonly DialogueMessage[];
  readonly asOf: number;
  /** The stored insight; a model's earlier texts are kept if there is nothing better. */
  readonly earlier: EarlierInsight;
  /** Undefined without a model, or when it failed. */
  readonly answer: InsightAnswer | undefined;
}

/**
 * Composes the insight to store. The model's answer takes precedence, then an earlier answer, then the rules; an empty text of
 * the model overwrites nothing. The heat always comes from the rules, adjusted a little by the model.
 */
export function composeInsight({ messages, asOf, earlier, answer }: InsightInput): Insight {
  const features = heatFeaturesOf(messages, asOf);
  const hasContactData = features.contactKinds.some(kind => kind !== 'nome');
  const standing = earlier.by === 'model' ? summaryOf(earlier) : summarizeByRules(messages, hasContactData);
  if (answer) {
    const adjustment = adjustmentFor(answer.heatScore, features);
    const reason = answer.heatScoreDescription || reasonIn(earlier);
    const heat = heatOf(features, adjustment, reason);
    return { ...fillSummary(answer, standing), ...heat, by: 'model' };
  }
  if (earlier.by === 'model') {
    return { ...standing, ...heatOf(features, earlier.heatAdjustment, reasonIn(earlier)), by: 'model' };
  }
  return { ...standing, ...heatOf(features, 0, BY_RULES), by: 'rules' };
}

function heatOf(features: HeatFeatures, heatAdjustment: number, reason: string) {
  const moved = heatAdjustment === 0 ? '' : `Ajuste do modelo: ${formatSigned(heatAdjustment)}.`;
  return {
    heatScore: heatScoreOf(features, heatAdjustment),
    heatAdjustment,
    heatScoreDescription: [explainHeat(features), moved, reason].filter(Boolean).join(' '),
  };
}

/** Returns the model's last reason, which follows the sum and the adjustment in the stored text. */
function reasonIn({ by, heatScoreDescription = '' }: InsightInput['earlier']): string {
  if (by !== 'model') return '';
  return heatScoreDescription.replace(
    /^(?:Soma de [^.]*\)\.|Nada indica interesse ainda\.)(?: Ajuste do modelo: [^.]*\.)? ?/,
    '',
  );
}

function fillSummary(answer: InsightAnswer, standing: InsightSummary): InsightSummary {
  const hasMood = answer.sentimentScoreExplanation !== '';
  return {
    userName: answer.userName || standing.userName,
    dialogueSummary: answer.dialogueSummary || standing.dialogueSummary,
    mainTopic: answer.mainTopic || standing.mainTopic,
    tip: answer.tip || standing.tip,
    sentimentScore: answer.sentimentScore,
    sentimentScoreExplanation: hasMood
      ? answer.sentimentScoreExplanation
      : 'O modelo não explicou este sentimento.',
    categories: answer.categories.length > 0 ? answer.categories : standing.categories,
  };
}

function summaryOf(earlier: InsightSummary): InsightSummary {
  const { userName, dialogueSummary, mainTopic, tip, sentimentScore, sentimentScoreExplanation, categories } =
    earlier;
  return { userName, dialogueSummary, mainTopic, tip, sentimentScore, sentimentScoreExplanation, categories };
}

function formatSigned(points: number): string {
  return `${points > 0 ? '+' : '−'}${formatPoints(Math.abs(points))}`;
}

/*
 * How close a person is to acting, from 0 to 100: a sum of five capped parts, so that no single one dominates. Each
 * part grows monotonically with its count; the first decays with time.
 */

interface HeatPart {
  readonly name: string;
  readonly points: number;
}

const MAX_RECENCY_POINTS = 25;
/** Points for each occurrence, and how many occurrences count. */
const weights = {
  questions: { each: 5, max: 3 },
  replies: { each: 5, max: 4 },
  contact: { each: 10, max: 2 },
  intents: { each: 10, max: 2 },
} as const;

/** The model may move the score this far, up or down. */
export const MAX_ADJUSTMENT = 20;

export function heatPartsOf(features: HeatFeatures): HeatPart[] {
  const { idleMs, questions, replies, contactKinds, intents } = features;
  const recency = idleMs === undefined ? 0 : MAX_RECENCY_POINTS * 0.5 ** (idleMs / DAY_MS);
  const pointsFor = (count: number, { each, max }: { each: number; max: number }) =>
    each * Math.min(count, max);
  return [
    { name: 'mensagem recente', points: recency },
    { name: `perguntas: ${questions}`, points: pointsFor(questions, weights.questions) },
    { name: `respostas ao atendimento: ${replies}`, points: pointsFor(replies, weights.replies) },
    {
      name: `dados de contato: ${contactKinds.join(', ')}`,
      points: pointsFor(contactKinds.length, weights.contact),
    },
    { name: `intenção: ${intents.join(', ')}`, points: pointsFor(intents.length, weights.intents) },
  ];
}

/** From 0 to 100, to one decimal. */
export function heatScoreOf(features: HeatFeatures, adjustment = 0): number {
  const sum = heatPartsOf(features).reduce((total, { points }) => total + points, 0);
  return roundToTenth(clamp(sum + clampAdjustment(adjustment), 0, 100));
}

/** Returns how far the model's own score moves the score of the features. */
export function adjustmentFor(score: number, features: HeatFeatures): number {
  return roundToTenth(clampAdjustment(clamp(score, 0, 100) - heatScoreOf(features)));
}

export function explainHeat(features: HeatFeatures): string {
  const parts = heatPartsOf(features).filter(({ points }) => points >= 0.05);
  const reasons = parts.map(({ name, points }) => `${name} (+${formatPoints(points)})`);
  return reasons.length > 0 ? `Soma de ${reasons.join('; ')}.` : 'Nada indica interesse ainda.';
}

function formatPoints(points: number): string {
  return String(roundToTenth(points)).replace('.', ',');
}

function clampAdjustment(adjustment: number): number {
  return clamp(adjustment, -MAX_ADJUSTMENT, MAX_ADJUSTMENT);
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max);
}

function roundToTenth(value: number): number {
  return Math.round(value * 10) / 10;
}
