import { DAY_MS } from '../time/instant.ts';
import type { HeatFeatures } from './heat-features.ts';

/*
 * How close a person is to acting, from 0 to 100: a sum of five capped parts, so that no single one dominates. Each
 * part grows monotonically with its count; the first decays with time.
 */

export interface HeatPart {
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

/** The parts of the score; their sum is from 0 to 100. */
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

/** How far the model's own score moves that of the features. */
export function adjustmentFor(score: number, features: HeatFeatures): number {
  return roundToTenth(clampAdjustment(clamp(score, 0, 100) - heatScoreOf(features)));
}

/** Why the score is what it is. */
export function explainHeat(features: HeatFeatures): string {
  const parts = heatPartsOf(features).filter(({ points }) => points >= 0.05);
  const reasons = parts.map(({ name, points }) => `${name} (+${formatPoints(points)})`);
  return reasons.length > 0 ? `Soma de ${reasons.join('; ')}.` : 'Nada indica interesse ainda.';
}

/** Brazilian number format. */
export function formatPoints(points: number): string {
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
