import { addressesIn } from './addresses-in.ts';
import { portugueseOf } from './english-words.ts';
import { foldText, isSpecific, wordsOf } from './folded-words.ts';
import { synonymsOf } from './synonyms.ts';

/** A folded word that is looked for, and how much is meant by it: 1 for what is asked now. */
export interface AskedWord {
  readonly word: string;
  readonly weight: number;
  /** Not so for a word that could have been said instead. */
  readonly isSaid: boolean;
}

/** What a long question adds after these costs more than it finds. */
const MOST_CHARACTERS = 2_000;
const MOST_WORDS = 32;
const EARLIER = 0.5;
const SYNONYM = 0.2;
const MOST_SYNONYMS = 12;

/**
 * Every word once, in the order in which they were said; what was asked before weighs less, the older the less, and
 * what a word could have been said with instead comes last.
 */
export function listAskedWords(query: string, earlier: readonly string[]): AskedWord[] {
  const weights = new Map<string, number>();
  const add = (text: string, weight: number) => {
    const folded = foldText(text.slice(0, MOST_CHARACTERS));
    const words = wordsOf(folded);
    const asked = (portugueseOf(words) ?? words).filter(isSpecific);
    for (const word of [...asked, ...addressesIn(folded)]) {
      if (!weights.has(word)) weights.set(word, weight);
    }
  };
  add(query, 1);
  for (const [back, text] of earlier.toReversed().entries()) add(text, EARLIER ** (back + 1));
  const said = [...weights].slice(0, MOST_WORDS).map(([word, weight]) => ({ word, weight, isSaid: true }));
  const others = said.flatMap(({ word, weight }) =>
    synonymsOf(word)
      .filter(other => !weights.has(other))
      .map(other => ({ word: other, weight: SYNONYM * weight, isSaid: false })),
  );
  return [...said, ...others.slice(0, MOST_SYNONYMS)];
}

/** Whether there is a word in it that tells what is looked for. */
export function hasAskedWords(query: string, earlier: readonly string[] = []): boolean {
  return listAskedWords(query, earlier).length > 0;
}

const numeric =
  /\b(quant[oa]s?|quando|quais? (?:e |foi |era |sera )?(?:o |a |os |as )?(?:valor|preco|prazo|nota|data|custo|idade|renda)e?s?|(?:que|qual) (?:ano|dia|data|mes|horas?|horario|epoca|idade|seculo)|custa|prazo)\b/;

/** Whether the answer is an amount, a date or a time. */
export function asksForNumber(query: string): boolean {
  return numeric.test(foldText(query));
}
