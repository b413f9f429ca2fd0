import { contactKindsIn } from './contact-kinds.ts';
import { type DialogueMessage, textsOfPerson } from './dialogue-message.ts';
import { countGroups, DISCOUNT_WORDS } from './word-groups.ts';

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

const intentWords = {
  'matricular-se': 'matricul inscri ingress vestibular transferi',
  'saber do preço': 'mensalidad preco valor custa investimento parcel',
  'pagar menos': DISCOUNT_WORDS,
  'visitar ou conversar': 'visit agend reuni consultor ligar ligue telefon',
  'decidir agora': 'quero queria gostaria interess decid fechar comecar',
};
const STARTS_ASKING =
  /^(qual|quais|quando|quanto|quantos|quantas|como|onde|quem|por que|o que|voc[eê]s? (tem|t[eê]m|aceitam?))\s/i;

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

/** Sentence by sentence: one regular expression over the whole text would backtrack on blanks. */
function isQuestion(text: string): boolean {
  return (
    text.includes('?') || text.split(/(?<=[.!\n])/).some(sentence => STARTS_ASKING.test(sentence.trimStart()))
  );
}
