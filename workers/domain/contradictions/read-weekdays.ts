import { type Token, tokenAt } from '../../../text/figures/tokens.ts';
import type { StatedValue } from './value-classes.ts';

const DAYS: ReadonlyMap<string, number> = new Map(
  ['segunda', 'terca', 'quarta', 'quinta', 'sexta', 'sabado', 'domingo'].flatMap((name, at) => [
    [name, at],
    [`${name}s`, at],
  ]),
);
const BEFORE_DAYS = new Set([
  'as',
  'aos',
  'toda',
  'todas',
  'todo',
  'todos',
  'de',
  'na',
  'no',
  'a',
  'nas',
  'nos',
  'e',
  'ate',
  'num',
  'cada',
  'ultima',
  'ultimo',
  'o',
]);

/** Reads the days of the week, which ordinals share their words with: `às quartas`, `de segunda a sexta`, but `quarta parcela`. */
export function readWeekdays(tokens: readonly Token[]): StatedValue[] {
  const found: StatedValue[] = [];
  for (const [at, { text, start, end }] of tokens.entries()) {
    const day = DAYS.get(text);
    if (day === undefined || !isWeekday(tokens, at)) continue;
    found.push({ of: 'weekday', value: String(day), at, from: start, to: end });
  }
  return found.map((each, at) => ({ ...each, of: isRange(tokens, found, at) ? 'weekdays' : 'weekday' }));
}

function isRange(tokens: readonly Token[], found: readonly StatedValue[], at: number): boolean {
  const isTo = (one: StatedValue | undefined, other: StatedValue | undefined) =>
    one !== undefined &&
    other !== undefined &&
    other.at - one.at <= 4 &&
    tokens.slice(one.at + 1, other.at).some(({ text }) => text === 'a' || text === 'ate');
  return isTo(found[at], found[at + 1]) || isTo(found[at - 1], found[at]);
}

const NOUNS = /^(?:chamada|via|opc|parte|fase|etapa|parcela|turma|edic|semana)/;

function isWeekday(tokens: readonly Token[], at: number): boolean {
  const { text } = tokenAt(tokens, at);
  if (/^(?:sabado|domingo)/.test(text)) return true;
  const behind = tokenAt(tokens, at + 1);
  if (behind.text === '-' && tokenAt(tokens, at + 2).text.startsWith('feira')) return true;
  if (behind.text.startsWith('feira')) return true;
  if (/^tod[ao]s?$|^cada$/.test(tokenAt(tokens, at - 1).text)) return !NOUNS.test(behind.text);
  const isBefore = BEFORE_DAYS.has(tokenAt(tokens, at - 1).text);
  if (!isBefore) return false;
  if (text.endsWith('s')) return behind.type !== 'word' || !NOUNS.test(behind.text);
  return behind.type !== 'word' || ['a', 'e', 'ate', 'as', 'das', 'ou', 'de', 'pela'].includes(behind.text);
}
