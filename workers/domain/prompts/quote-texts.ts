import type { SmallTalk } from '../../../text/answers/small-talk.ts';

/** What an assistant says that quotes, where there is nothing to quote. No figure stands in it, for which the check would want a source. */
export interface QuoteTexts extends Readonly<Record<SmallTalk, string>> {
  /** The person wants somebody of the team. */
  readonly handedOver: string;
  /** The person stopped answering. */
  readonly resume: string;
  /** The flow took the message, and says nothing more. */
  readonly noted: string;
}

const portuguese: QuoteTexts = {
  farewell: 'Até logo! Quando precisar, é só chamar.',
  thanks: 'Por nada! Se precisar de mais alguma coisa, é só perguntar.',
  greeting: 'Olá! Em que posso ajudar?',
  identity: 'Sou um assistente automático e respondo com frases do meu material. O que você quer saber?',
  handedOver: 'Certo, avisei a equipe. Uma pessoa vai continuar este atendimento.',
  resume: 'Ainda posso ajudar em alguma coisa?',
  noted: 'Certo, anotei.',
};

const spanish: QuoteTexts = {
  farewell: '¡Hasta luego! Cuando lo necesites, escríbeme.',
  thanks: '¡De nada! Si necesitas algo más, pregúntame.',
  greeting: '¡Hola! ¿En qué puedo ayudarte?',
  identity: 'Soy un asistente automático y respondo con frases de mi material. ¿Qué quieres saber?',
  handedOver: 'Listo, avisé al equipo. Una persona continuará esta atención.',
  resume: '¿Puedo ayudarte en algo más?',
  noted: 'Listo, lo anoté.',
};

const english: QuoteTexts = {
  farewell: 'Goodbye! Write again whenever you need to.',
  thanks: 'You are welcome! If you need anything else, just ask.',
  greeting: 'Hello! How can I help?',
  identity:
    'I am an automatic assistant, and answer with sentences of my material. What would you like to know?',
  handedOver: 'All right, I have told the team. A person will take it from here.',
  resume: 'Can I still help with anything?',
  noted: 'All right, I noted it.',
};

/** Returns the texts of a BCP 47 tag; languages without their own get the English ones. */
export function quoteTextsOf(language: string): QuoteTexts {
  const [tag] = language.toLowerCase().split('-');
  return tag === 'pt' ? portuguese : tag === 'es' ? spanish : english;
}
