import type { AskKind } from '../asks/read-value.ts';

/** What a flow says around its questions. There is no figure in it, for which the check would want a source. */
export interface AskTexts {
  /** Before a question that is asked again. */
  readonly wanted: Readonly<Record<AskKind, string>>;
  readonly givenUp: string;
  readonly corrected: string;
  readonly stopped: string;
}

const portuguese: AskTexts = {
  wanted: {
    text: 'Não consegui ler a sua resposta.',
    number: 'Não encontrei um número na sua resposta.',
    date: 'Não entendi a data: escreva o dia e o mês.',
    cpf: 'Esse CPF não confere: envie todos os números dele.',
    email: 'Não encontrei um e-mail válido na sua resposta.',
    phone: 'Não encontrei um telefone válido na sua resposta: envie com o DDD.',
    choice: 'Responda com o número ou o nome de uma das opções.',
  },
  givenUp: 'Tudo bem, vamos seguir sem isso.',
  corrected: 'Certo, corrigi.',
  stopped: 'Tudo bem, não pergunto mais sobre isso.',
};

const spanish: AskTexts = {
  wanted: {
    text: 'No pude leer tu respuesta.',
    number: 'No encontré un número en tu respuesta.',
    date: 'No entendí la fecha: escribe el día y el mes.',
    cpf: 'Ese CPF no es válido: envía todos sus números.',
    email: 'No encontré un correo válido en tu respuesta.',
    phone: 'No encontré un teléfono válido en tu respuesta: envíalo con el código de área.',
    choice: 'Responde con el número o el nombre de una de las opciones.',
  },
  givenUp: 'Está bien, seguimos sin eso.',
  corrected: 'Listo, lo corregí.',
  stopped: 'Está bien, no pregunto más sobre esto.',
};

const english: AskTexts = {
  wanted: {
    text: 'I could not read your answer.',
    number: 'I found no number in your answer.',
    date: 'I did not understand the date: write the day and the month.',
    cpf: 'That CPF is not valid: send all of its digits.',
    email: 'I found no valid e-mail address in your answer.',
    phone: 'I found no valid phone number in your answer: send it with the area code.',
    choice: 'Answer with the number or the name of one of the choices.',
  },
  givenUp: 'All right, we go on without it.',
  corrected: 'Done, I corrected it.',
  stopped: 'All right, I will not ask about this any more.',
};

/** Returns the texts of a BCP 47 tag; languages without their own get the English ones. */
export function askTextsOf(language: string): AskTexts {
  const [tag] = language.toLowerCase().split('-');
  return tag === 'pt' ? portuguese : tag === 'es' ? spanish : english;
}
