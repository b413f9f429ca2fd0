import { cpfOf } from '../contact/cpf.ts';
import { DAY_MS } from '../time/instant.ts';
import { type DialogueMessage, textsOfPerson } from './dialogue-message.ts';
import { countGroups, DISCOUNT_WORDS } from './word-groups.ts';

/*
 * How close a person is to acting, from 0 to 100: a sum of five capped parts, so that no single one dominates. Each
 * part grows monotonically with its count; the first decays with time.
 */

export interface HeatFeatures {
  /** Since the last message of the person; undefined without one. */
  readonly idleMs: number | undefined;
  /** Messages of the person that ask something. */
  readonly questions: number;
  /** Messages of the person that come after an answer. */
  readonly replies: number;
  /** Kinds of contact data that the person gave: name, e-mail, phone, CPF. */
  readonly contactKinds: readonly string[];
  /** Intents of the person, detected by words. */
  readonly intents: readonly string[];
}

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

const intentWords = {
  'matricular-se': 'matricul inscri ingress vestibular transferi',
  'saber do preço': 'mensalidad preco valor custa investimento parcel',
  'pagar menos': DISCOUNT_WORDS,
  'visitar ou conversar': 'visit agend reuni consultor ligar ligue telefon',
  'decidir agora': 'quero queria gostaria interess decid fechar comecar',
};
const STARTS_ASKING =
  /^(qual|quais|quando|quanto|quantos|quantas|como|onde|quem|por que|o que|voc[eê]s? (tem|t[eê]m|aceitam?))\s/i;
const EMAIL = /[\w.+-]@[\w-]{1,63}\.[\w-]/;
const PHONE = /(^|[^\d.])(\+?55\s?)?\(?[1-9]\d\)?\s?9?\d{4}[-\s]?\d{4}(?!\d)/;
const CPF = /(?<!\d)\d{3}\.?\d{3}\.?\d{3}-?\d{2}(?!\d)/g;
const NAME = /\b(meu nome [eé]|me chamo|aqui [eé] [ao]|sou [ao]) \p{L}{2,}/iu;

/** The features of these messages at that time. */
export function heatFeaturesOf(messages: readonly DialogueMessage[], asOf: number): HeatFeatures {
  const texts = textsOfPerson(messages);
  const last = messages.findLast(({ author }) => author === 'user');
  const isAnswer = ({ author }: DialogueMessage) => author === 'assistant' || author === 'human';
  const firstAnswer = messages.findIndex(isAnswer);
  const after = firstAnswer < 0 ? [] : textsOfPerson(messages.slice(firstAnswer));
  return {
    idleMs: last && Math.max(asOf - last.at, 0),
    questions: texts.filter(isQuestion).length,
    replies: after.length,
    contactKinds: contactKindsIn(texts),
    intents: countGroups(texts, intentWords).map(([name]) => name),
  };
}

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

/** Sentence by sentence: one regular expression over the whole text would backtrack on blanks. */
function isQuestion(text: string): boolean {
  return (
    text.includes('?') || text.split(/(?<=[.!\n])/).some(sentence => STARTS_ASKING.test(sentence.trimStart()))
  );
}

function contactKindsIn(texts: readonly string[]): string[] {
  const isCpf = (number: string) => cpfOf(number) !== undefined;
  const isMatched = (pattern: RegExp) => texts.some(text => pattern.test(text));
  const hasCpf = texts.some(text => (text.match(CPF) ?? []).some(isCpf));
  const withoutCpf = texts.map(text => text.replaceAll(CPF, number => (isCpf(number) ? ' ' : number)));
  return [
    ...(isMatched(NAME) ? ['nome'] : []),
    ...(isMatched(EMAIL) ? ['e-mail'] : []),
    ...(withoutCpf.some(text => PHONE.test(text)) ? ['telefone'] : []),
    ...(hasCpf ? ['CPF'] : []),
  ];
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
