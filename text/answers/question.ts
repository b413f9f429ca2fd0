import { type AskedKind, askedKindOf } from '../asked-kind.ts';
import { toPortuguese } from '../foreign-words.ts';
import { numberWords } from '../number-words.ts';
import { countedNounOf, type QueryWord, queryWordsOf } from '../query-words.ts';
import { isSpecific, stemOf, wordsOf } from '../words.ts';

export interface Question {
  /** Words and synonyms, also of the previous question if it has the same subject. */
  readonly words: readonly QueryWord[];
  /** Stems of the subject: a statement about another thing is no answer. */
  readonly nouns: ReadonlySet<string>;
  /** Other words, which the knowledge may say in another way. */
  readonly modifiers: ReadonlySet<string>;
  readonly kind: AskedKind | 'duration' | undefined;
  /** Whether a statement needs a figure of the kind to be an answer. */
  readonly asksFigure: boolean;
  readonly asksList: boolean;
  /** Whether the answer may say the things of the question in other words: it is no figure, no yes or no, and no price of one thing. */
  readonly isOpen: boolean;
  /** Whether the answer includes restrictions of a permission. */
  readonly asksPermission: boolean;
  /** The stem of the counted noun in "quantos livros". */
  readonly counted: string | undefined;
}

const FIGURE = /\b(?:quant[oa]s?|qto|qual|quando|que (?:horas?|dia|data|ano)|ate que|quanto tempo|duracao)\b/;
const OPEN = /\b(?:(?:o|a|d?o|por|para|com|de|em|no) que|quem|qua(?:l|is)|onde|como)\b/;
const LIMIT = /\b(?:minim|maxim)[oa]s?\b/;
/** Matches "e aos sábados?", "quanto custa ele?". */
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
  const nouns = nounsOf(whole);
  const asksFigure = kind !== undefined && FIGURE.test(own);
  const asksPermission = /\b(?:posso|podem?|aceitam?|vale)\b/.test(own);
  const isExact = asksFigure || asksPermission || LIMIT.test(own);
  return {
    words: queryWordsOf(text, before),
    ...nouns,
    kind,
    asksFigure,
    asksList,
    isOpen: OPEN.test(own) && !isExact && kind !== 'money',
    asksPermission,
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

/** Collects the words after an article or preposition, which an infinitive may follow, too, and after "tem" and "custa". */
function nounsOf(portuguese: string): Pick<Question, 'nouns' | 'modifiers'> {
  const nouns = new Set<string>();
  const modifiers = new Set<string>();
  for (const { groups } of portuguese.matchAll(NOUN)) {
    const { exact, article, first = '', second = '' } = groups ?? {};
    if (!isSpecific(first) || (!exact && !article && /[aeio]r$/.test(first))) continue;
    nouns.add(stemOf(first));
    if (second && isSpecific(second) && !second.startsWith('cust')) modifiers.add(stemOf(second));
  }
  return { nouns, modifiers };
}
