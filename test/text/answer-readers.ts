import { asksForPerson } from '../../text/answers/asks-for-person.ts';
import { findAnswer } from '../../text/answers/find-answer.ts';
import { saidPartsOf } from '../../text/answers/said-parts.ts';
import { answerFromClock, smallTalkOf } from '../../text/answers/small-talk.ts';
import { quoteTextsOf } from '../../workers/domain/prompts/quote-texts.ts';

const CLOCK =
  'Agora: segunda-feira, 2 de março de 2026, 10:00 (America/Sao_Paulo). Amanhã: terça-feira, 3 de março de 2026.';

/** Readers of what is asked of an assistant that quotes, and of what it quotes. */
export const answerReaders: Readonly<Record<string, (text: string) => unknown>> = {
  findAnswer: text => [
    findAnswer(text, [{ text }, { text: `# ${text}\n${text}`, relevance: 1 }], [text]),
    findAnswer('Quanto custa o curso de Direito? Que horas abre?', [{ text }], []),
    saidPartsOf(text),
    saidPartsOf(`${text}?`),
    asksForPerson(text),
    smallTalkOf(text),
    answerFromClock(text, [text], CLOCK),
    quoteTextsOf('pt'),
  ],
};
