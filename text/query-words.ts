import { foldText, plainLetters } from './fold.ts';
import { toPortuguese } from './foreign-words.ts';
import { synonymsOf } from './synonyms.ts';
import { foldTyped } from './typed-words.ts';
import { isSpecific, readAddresses, stemOf } from './words.ts';

/** A normalized word of the query with its weight, which is 1 for the current question. */
export interface QueryWord {
  readonly word: string;
  readonly weight: number;
  /** The word of the query that this is a synonym of; both stand for one concept. */
  readonly synonymOf?: string;
  /** Set for a synonym that counts only where the knowledge lacks the word itself. */
  readonly isInstead?: true;
}

/** Words beyond these limits cost more than they find. */
const MAX_CHARACTERS = 2_000;
const MAX_WORDS = 32;
const EARLIER = 0.75;
const GENERAL = 0.4;
const MAX_SYNONYMS = 24;
const MAX_SYNONYMS_OF_WORD = 6;
/** Verbs and nouns of any question, which reveal little about its subject. */
const general: ReadonlySet<string> = new Set(
  (
    'acontece acontecer adianta apenas caber cabem conseguir consigo consegue conta contar custa custam dar dou deve devo dever ' +
    'dizer existe existem existir faz fazem fazer faco feito fica ficar fico ficam funciona funcionam gostaria haver leva levar levo ' +
    'pegar pego pode podem poder posso precisa preciso precisam precisar quer querer queria quero saber sai sair saem sei ' +
    'serve servem tenho tipo tipos usar uso vai vale vou vao vem vir ver vejo quantos coisa agora depois antes ainda ' +
    'dizem vez vezes alguem algum alguma alguns algumas outro outra outros outras todo toda todos todas forma jeito'
  )
    .split(' ')
    .map(stemOf),
);

/** What a stem tells of the subject of a text: less if it is of a verb or noun of any question. */
export function generalityOf(stem: string): number {
  return general.has(stem) ? GENERAL : 1;
}

/** Returns each word once, in order; earlier questions weigh less with their age, and synonyms come last. */
export function queryWordsOf(query: string, earlier: readonly string[]): QueryWord[] {
  const weights = new Map<string, number>();
  const add = (text: string, weight: number) => {
    const normalized = foldText(plainLetters(text.slice(0, MAX_CHARACTERS)));
    const specific = toPortuguese(text.slice(0, MAX_CHARACTERS)).words.filter(isSpecific);
    const { hosts } = readAddresses(normalized);
    for (const word of [...specific, ...addressesIn(normalized), ...hosts]) {
      if (!weights.has(word)) weights.set(word, weight * generalityOf(stemOf(word)));
    }
  };
  add(query, 1);
  for (const [back, text] of earlier.toReversed().entries()) add(text, EARLIER ** (back + 1));
  const literal: QueryWord[] = [...weights].slice(0, MAX_WORDS).map(([word, weight]) => ({ word, weight }));
  const synonyms = literal.flatMap(({ word, weight }) =>
    synonymsOf(word)
      .filter(other => !weights.has(other.word))
      .slice(0, MAX_SYNONYMS_OF_WORD)
      .map(other => ({ ...other, weight, synonymOf: word })),
  );
  return [...literal, ...synonyms.slice(0, MAX_SYNONYMS)];
}

/** Whether the query has any specific word. */
export function hasQueryWords(query: string, earlier: readonly string[] = []): boolean {
  return queryWordsOf(query, earlier).length > 0;
}

/** The counted noun in "quantos alunos". */
export function countedNounOf(query: string): string | undefined {
  return /\bquant[oa]s ([a-z]+)/.exec(foldTyped(query))?.[1];
}

const letter = /[\p{L}\p{N}]/u;
const separator = /[.@/]/;

/**
 * Tokens that the index keeps whole: runs without blanks that contain a dot, an at sign or a slash, up to their last
 * letter.
 */
export function addressesIn(text: string): string[] {
  return text.split(/\s+/).map(upToLastLetter).filter(isAddress);
}

/** Scans from the end: a regular expression would backtrack. */
function upToLastLetter(run: string): string {
  const characters = Array.from(run);
  return characters.slice(0, characters.findLastIndex(each => letter.test(each)) + 1).join('');
}

function isAddress(run: string): boolean {
  return separator.test(run.slice(1));
}
