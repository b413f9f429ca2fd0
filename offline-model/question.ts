import { type AskedKind, askedKindOf } from '../text/asked-kind.ts';
import { toPortuguese } from '../text/foreign-words.ts';
import { numberWords } from '../text/number-words.ts';
import { countedNounOf, type QueryWord, queryWordsOf } from '../text/query-words.ts';
import { isSpecific, stemOf, wordsOf } from '../text/words.ts';

export interface Question {
  /** Its words and their synonyms; those of the question before it where it is about the same. */
  readonly words: readonly QueryWord[];
  /** Stems of what it is about: a statement about another thing is no answer. */
  readonly nouns: ReadonlySet<string>;
  /** Those that must be named themselves, because something like it has another price, or is no answer to "tem wifi?". */
  readonly exactNouns: ReadonlySet<string>;
  /** Words beside them, which the knowledge may put in another way. */
  readonly modifiers: ReadonlySet<string>;
  readonly kind: AskedKind | 'duration' | undefined;
  /** A statement without a figure of the kind is no answer. */
  readonly asksFigure: boolean;
  readonly asksList: boolean;
  /** What restricts a permission is part of the answer. */
  readonly asksPermission: boolean;
  /** The stem of what is counted in "quantos livros". */
  readonly counted: string | undefined;
}

const FIGURE = /\b(?:quant[oa]s?|qto|qual|quando|que (?:horas?|dia|data|ano)|ate que|quanto tempo|duracao)\b/;
/** "e aos sábados?", "quanto custa ele?". */
const BACK_REFERENCE = /^(?:mas )?e\b|\b(?:isso|disso|nisso|ele|ela|dele|dela|nele|nela)\b/;
const NOUN =
  /\b(?:(?<exact>tem|ha|cust\w+(?: [ao]s?| uma?)?)|(?<article>[ao]s?|umas?|uns|um|aos?|d[ao]s?|n[ao]s?|pr[ao]s?|pel[ao]s?|meus?|minhas?)|de|em|para|com|sem) (?=(?<first>[a-z]{2,})(?: (?<second>[a-z]{2,}))?)/g;

export function readQuestion(text: string, earlier: readonly string[]): Question {
  const own = toPortuguese(text).words.join(' ');
  const isIncomplete = BACK_REFERENCE.test(own) || wordsOf(own).filter(isSpecific).length <= 1;
  const before = isIncomplete ? earlier.slice(-1) : [];
  const whole = [...before.map(each => toPortuguese(each).words.join(' ')), own].join(' ');
  const asksList = /\b(?:quais|tipos)\b/.test(own);
  const kind = asksList ? undefined : (kindOf(own) ?? kindOf(whole));
  const counted = countedNounOf(own);
  return {
    words: queryWordsOf(text, before),
    ...nounsOf(whole, kind === 'money'),
    kind,
    asksFigure: kind !== undefined && FIGURE.test(own),
    asksList,
    asksPermission: /\b(?:posso|podem?|aceitam?|vale)\b/.test(own),
    counted: counted && stemOf(counted),
  };
}

export function isNumber(word: string): boolean {
  return /^\d/.test(word) || (numberWords.has(word) && !/^(?:uma?|hum)$/.test(word));
}

function kindOf(portuguese: string): Question['kind'] {
  if (/\b(?:quanto tempo|duracao)\b/.test(portuguese)) return 'duration';
  return /\bate (?:quando|que dia)\b/.test(portuguese) ? 'number' : askedKindOf(portuguese);
}

/** The words after an article or a preposition, after which an infinitive may stand, too, and after "tem" and "custa". */
function nounsOf(portuguese: string, isExact: boolean): Pick<Question, 'nouns' | 'exactNouns' | 'modifiers'> {
  const nouns = new Set<string>();
  const exactNouns = new Set<string>();
  const modifiers = new Set<string>();
  for (const { groups } of portuguese.matchAll(NOUN)) {
    const { exact, article, first = '', second = '' } = groups ?? {};
    if (!isSpecific(first) || (!exact && !article && /[aeio]r$/.test(first))) continue;
    nouns.add(stemOf(first));
    if (exact || isExact) exactNouns.add(stemOf(first));
    if (second && isSpecific(second) && !second.startsWith('cust')) modifiers.add(stemOf(second));
  }
  return { nouns, exactNouns, modifiers };
}
