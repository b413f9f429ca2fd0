import { addressesIn } from './address-tokens.ts';
import { translateEnglishWords } from './english-words.ts';
import { isSpecific, normalizeWords, wordsOf } from './normalized-words.ts';
import { synonymsOf } from './synonyms.ts';

/** A normalized word of the query with its weight: 1 for the current question. */
export interface QueryWord {
  readonly word: string;
  readonly weight: number;
  /** False for a synonym. */
  readonly isLiteral: boolean;
}

/** Words beyond these limits cost more than they find. */
const MAX_CHARACTERS = 2_000;
const MAX_WORDS = 32;
const EARLIER = 0.5;
const SYNONYM = 0.2;
const MAX_SYNONYMS = 12;

/** Each word once, in order; earlier questions weigh less with their age, and synonyms come last. */
export function listQueryWords(query: string, earlier: readonly string[]): QueryWord[] {
  const weights = new Map<string, number>();
  const add = (text: string, weight: number) => {
    const normalized = normalizeWords(text.slice(0, MAX_CHARACTERS));
    const words = wordsOf(normalized);
    const specific = (translateEnglishWords(words) ?? words).filter(isSpecific);
    for (const word of [...specific, ...addressesIn(normalized)]) {
      if (!weights.has(word)) weights.set(word, weight);
    }
  };
  add(query, 1);
  for (const [back, text] of earlier.toReversed().entries()) add(text, EARLIER ** (back + 1));
  const literal = [...weights]
    .slice(0, MAX_WORDS)
    .map(([word, weight]) => ({ word, weight, isLiteral: true }));
  const synonyms = literal.flatMap(({ word, weight }) =>
    synonymsOf(word)
      .filter(other => !weights.has(other))
      .map(other => ({ word: other, weight: SYNONYM * weight, isLiteral: false })),
  );
  return [...literal, ...synonyms.slice(0, MAX_SYNONYMS)];
}

/** Whether the query has any specific word. */
export function hasQueryWords(query: string, earlier: readonly string[] = []): boolean {
  return listQueryWords(query, earlier).length > 0;
}

const numeric =
  /\b(quant[oa]s?|quando|quais? (?:e |foi |era |sera )?(?:o |a |os |as )?(?:valor|preco|prazo|nota|data|custo|idade|renda)e?s?|(?:que|qual) (?:ano|dia|data|mes|horas?|horario|epoca|idade|seculo)|custa|prazo)\b/;

/** Whether the question asks for an amount, a date or a time. */
export function asksForNumber(query: string): boolean {
  return numeric.test(normalizeWords(query));
}
