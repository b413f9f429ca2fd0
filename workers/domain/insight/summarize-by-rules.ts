import { foldText } from '../../../text/fold.ts';
import { oneLineOf } from '../../../text/lines.ts';
import { isSpecific, wordsOf } from '../../../text/words.ts';
import { countGroups, DISCOUNT_WORDS } from './heat-features.ts';
import { type DialogueMessage, type InsightSummary, textsOfPerson } from './insight.ts';
import { sentimentOf } from './sentiment.ts';

const categoryWords = {
  Matrícula: 'matricul rematricul trancam trancar',
  'Vestibular e ingresso': 'vestibular ingress inscri enem prova transferi',
  Financeiro: 'mensalidad boleto pagar pagament pix parcel venciment fatura valor preco custa',
  'Bolsas e descontos': DISCOUNT_WORDS,
  Cursos: 'curso graduac faculdad disciplin grade duracao modalidad ead presencial',
  'Aulas e notas': 'aula nota frequenc falta professor calendari horario semestre',
  Documentos: 'document diploma certificad declarac historic comprovant carteirinh',
  Biblioteca: 'bibliotec livro emprestim renovac',
  'Suporte técnico': 'senha login acess portal aplicativ app sistema',
  'Estágio e carreira': 'estagi emprego carreira vaga',
  'Atendimento humano': 'atendent humano pessoa ouvidor reclam',
};

const tips: Readonly<Record<string, string>> = {
  Matrícula: 'Confirme o curso e envie o passo a passo da matrícula.',
  'Vestibular e ingresso': 'Envie as datas e o link de inscrição, e pergunte o curso de interesse.',
  Financeiro: 'Confirme de que cobrança se trata e ofereça a segunda via ou as formas de pagamento.',
  'Bolsas e descontos': 'Apresente as bolsas disponíveis e o que é preciso para pedir uma.',
  Cursos: 'Conte a duração, a modalidade e o valor do curso de interesse.',
  Documentos: 'Explique como pedir o documento e em quanto tempo fica pronto.',
};

/** Marks of Markdown, which a summary leaves out. */
const MARKDOWN = /\*\*|__|`|^#{1,6} /gm;
const MAX_QUOTE_LENGTH = 160;
const MAX_TOPIC_LENGTH = 80;
const MAX_CATEGORIES = 3;
const DISSATISFIED_BELOW = -0.25;

/**
 * Phrases that introduce a name. The grouped ones may introduce something else (`sou o responsável`), so a capital
 * must follow.
 */
const introduction =
  /\b(?:meu nome (?:completo )?[eé]|me chamo|(aqui [eé] [ao]|sou [ao])) (\p{L}[^\n.,;:!?()]{0,80})/giu;

const capital = /^\p{Lu}/u;
const particle = /^(?:d[aeo]s?|e)$/;
const MAX_NAME_LENGTH = 80;
const MAX_NAME_WORDS = 5;

/** Makes an insight without a language model. Earlier results are not needed: all available messages are read again. */
export function summarizeByRules(
  messages: readonly DialogueMessage[],
  hasContactData: boolean,
): InsightSummary {
  const texts = textsOfPerson(messages);
  const sentiment = sentimentOf(texts);
  const categories = countGroups(texts, categoryWords).map(([name]) => name);
  return {
    userName: nameIn(texts),
    dialogueSummary: summaryOf(messages),
    mainTopic: topicOf(texts, categories),
    tip: tipFor(categories, sentiment.score, hasContactData),
    sentimentScore: sentiment.score,
    sentimentScoreExplanation: sentiment.explanation,
    categories: categories.slice(0, MAX_CATEGORIES),
  };
}

function summaryOf(messages: readonly DialogueMessage[]): string {
  const texts = textsOfPerson(messages).filter(text => isInformative(text));
  const [first] = texts;
  const last = texts.at(-1);
  const answer = messages.findLast(({ author }) => author === 'assistant' || author === 'human');
  return [
    first === undefined ? '' : `A pessoa escreveu: “${clipText(first)}”`,
    texts.length > 1 && last !== undefined && last !== first ? `Por último: “${clipText(last)}”` : '',
    answer === undefined ? '' : `Última resposta: “${clipText(answer.content.replaceAll(MARKDOWN, ''))}”`,
  ]
    .filter(Boolean)
    .join(' ');
}

function topicOf(texts: readonly string[], categories: readonly string[]): string {
  if (categories.length > 0) return categories.slice(0, 2).join(', ').slice(0, MAX_TOPIC_LENGTH);
  const topic = texts.find(isInformative) ?? texts[0];
  return topic === undefined ? '' : clipText(topic, MAX_TOPIC_LENGTH);
}

function tipFor(categories: readonly string[], sentimentScore: number, hasContactData: boolean): string {
  if (sentimentScore < DISSATISFIED_BELOW)
    return 'Responda logo e com cuidado: a pessoa mostra insatisfação.';
  const known = categories.map(name => tips[name]).find(tip => tip !== undefined);
  const contact = hasContactData ? ' A pessoa deixou contato: retorne por ele.' : '';
  return `${known ?? 'Pergunte em que mais pode ajudar.'}${contact}`;
}

/** A greeting has no specific words. */
function isInformative(text: string): boolean {
  return wordsOf(foldText(text)).some(isSpecific);
}

function clipText(text: string, maxLength = MAX_QUOTE_LENGTH): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (line.length <= maxLength) return line;
  const cut = line.slice(0, maxLength - 1).toWellFormed();
  // A word that fills the line has no blank before it.
  const lastBlank = cut.lastIndexOf(' ');
  return `${lastBlank < 0 ? cut : cut.slice(0, lastBlank)}…`;
}

/** Returns the last name that the end user gave; '' if none. */
export function nameIn(texts: readonly string[]): string {
  for (const text of texts.toReversed()) {
    for (const [, isVague, rest = ''] of [...text.matchAll(introduction)].toReversed()) {
      const name = nameAtHeadOf(rest, isVague !== undefined);
      if (name !== '') return name;
    }
  }
  return '';
}

/** Capitals delimit the name; without them it is the first word, or all words if nothing else follows. */
function nameAtHeadOf(rest: string, mustHaveCapital: boolean): string {
  const words = oneLineOf(rest, MAX_NAME_LENGTH).split(' ');
  const [first = ''] = words;
  if (!isSpecific(foldText(first)) || !/^[\p{L}'’-]{2,}$/u.test(first)) return '';
  if (!capital.test(first))
    return mustHaveCapital ? '' : capitalizeWords(isNameAlone(words) ? words : [first]);
  const end = words.findIndex(
    (word, at) => !capital.test(word) && !(particle.test(word) && capital.test(words[at + 1] ?? '')),
  );
  return words.slice(0, end < 0 ? MAX_NAME_WORDS : Math.min(end, MAX_NAME_WORDS)).join(' ');
}

function isNameAlone(words: readonly string[]): boolean {
  return (
    words.length <= 3 && words.every(word => /^[\p{L}'’-]{2,}$/u.test(word) && isSpecific(foldText(word)))
  );
}

function capitalizeWords(words: readonly string[]): string {
  return words.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join(' ');
}
