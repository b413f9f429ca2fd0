import { CPF_IN_TEXT, cpfOf, PHONE_IN_TEXT } from '../../../text/contact.ts';
import { foldText } from '../../../text/fold.ts';
import { wordsOf } from '../../../text/words.ts';
import { type DialogueMessage, textsOfPerson } from './insight.ts';

/** Beginnings of normalized words, by the name of their topic. */
type WordGroups = Readonly<Record<string, string>>;

/** Scholarships and other discounts: a topic, and an intent. */
export const DISCOUNT_WORDS = 'bolsa descont fies prouni financiament';

/** Counts the words of each group, the most frequent first; groups without a match are left out. */
export function countGroups(texts: readonly string[], groups: WordGroups): [name: string, count: number][] {
  const words = new Map<string, number>();
  for (const word of texts.flatMap(text => wordsOf(foldText(text)))) {
    words.set(word, (words.get(word) ?? 0) + 1);
  }
  const counts = Object.entries(groups).map(([name, beginnings]): [string, number] => {
    const begins = beginnings.split(' ');
    const own = [...words].filter(([word]) => begins.some(begin => word.startsWith(begin)));
    return [name, own.reduce((sum, [, count]) => sum + count, 0)];
  });
  return counts.filter(([, count]) => count > 0).toSorted(([, left], [, right]) => right - left);
}

export interface HeatFeatures {
  /** Milliseconds since the last message of the end user; undefined without one. */
  readonly idleMs: number | undefined;
  readonly questions: number;
  /** Messages of the end user that come after an answer. */
  readonly replies: number;
  /** Kinds of contact data that the end user gave: name, e-mail, phone, CPF. */
  readonly contactKinds: readonly string[];
  /** Intents of the end user, detected by words. */
  readonly intents: readonly string[];
}

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
const NAME = /\b(meu nome [eé]|me chamo|aqui [eé] [ao]|sou [ao]) \p{L}{2,}/iu;

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

/** Checks sentence by sentence: one regular expression over the whole text would backtrack on blanks. */
function isQuestion(text: string): boolean {
  return (
    text.includes('?') || text.split(/(?<=[.!\n])/).some(sentence => STARTS_ASKING.test(sentence.trimStart()))
  );
}

function contactKindsIn(texts: readonly string[]): string[] {
  const isCpf = (number: string) => cpfOf(number) !== undefined;
  const isMatched = (pattern: RegExp) => texts.some(text => pattern.test(text));
  const hasCpf = texts.some(text => (text.match(CPF_IN_TEXT) ?? []).some(isCpf));
  const withoutCpf = texts.map(text =>
    text.replaceAll(CPF_IN_TEXT, number => (isCpf(number) ? ' ' : number)),
  );
  return [
    ...(isMatched(NAME) ? ['nome'] : []),
    ...(isMatched(EMAIL) ? ['e-mail'] : []),
    ...(withoutCpf.some(text => PHONE_IN_TEXT.test(text)) ? ['telefone'] : []),
    ...(hasCpf ? ['CPF'] : []),
  ];
}
