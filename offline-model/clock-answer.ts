import { foldText } from '../text/fold.ts';
import { wordsOf } from '../text/words.ts';
import type { Message } from './chat-request.ts';

/* Questions about the present, which the clock of the host in the prompt answers: the day, the hour, and whether it is open. */

/** Characters. A longer message asks for more. */
const MAX_LENGTH = 120;

/** The line of the prompt that tells the time. */
const CLOCK =
  /^Agora: (?<today>[^.]+), (?<time>\d\d:\d\d) \([^)]*\)\.(?: Atendimento: (?<opening>[^.]+)\.)? Amanhã: (?<tomorrow>[^.]+)\.$/;

const parseWords = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const politeWords = parseWords(
  'oi ola bom boa dia tarde noite por favor me diga diz voce voces vc vcs sabe saber pode informar obrigado obrigada e a o as os de da do em no na que qual quais hoje agora ai gente pessoal',
);
const timeWords = parseWords('hora horas sao eh tem ta esta');
const dayWords = parseWords('dia data semana eh sera amanha ano mes atual estamos');
const openWords = parseWords(
  'aberto aberta abertos abertas fechado fechada fechados fechadas atendendo funcionando atendem atende funciona funcionam abre abrem abrir atender ' +
    'esta estao ta tao ja ainda neste nesse momento atendimento amanha vao vai instituicao horario sera',
);
const isAbout = (text: string, pattern: RegExp, known: ReadonlySet<string>) =>
  pattern.test(foldText(text)) &&
  wordsOf(foldText(text)).every(word => known.has(word) || politeWords.has(word));

const asksTime = (text: string) => isAbout(text, /\bque horas?\b/, timeWords);
const asksDay = (text: string) => isAbout(text, /\bque dia\b|\bdata\b/, dayWords);
const asksOpening = (text: string) =>
  isAbout(text, /\b(?:abert|fechad|atend|funciona|abre|abri)/, openWords) &&
  /\b(?:agora|hoje|amanha|ja|ainda|momento)\b/.test(foldText(text));
const asksTomorrow = (text: string) => /\bamanha\b/.test(foldText(text));

/** Undefined where it is another question, also one about a part of the host, which has hours of its own. */
export function answerFromClock(
  question: string,
  earlier: readonly string[],
  messages: readonly Message[],
): string | undefined {
  if (question.length > MAX_LENGTH) return undefined;
  const line = messages.findLast(({ role, text }) => role === 'system' && text.startsWith('Agora: '))?.text;
  const clock = CLOCK.exec(line ?? '')?.groups;
  if (!clock) return undefined;
  const { today = '', time = '', opening, tomorrow = '' } = clock;
  const last = earlier.at(-1) ?? '';
  // "E amanhã?" asks the same of another day.
  const subject = /^(?:e )?(?:para )?amanha\W*$/.test(foldText(question).trim()) ? last : question;
  if (asksTime(question)) return `São ${time}.`;
  if (asksOpening(subject) && opening)
    return asksTomorrow(question)
      ? `Amanhã: ${tomorrow}.`
      : `Agora são ${time}. O atendimento está ${opening}.`;
  if (asksDay(subject)) return asksTomorrow(question) ? `Amanhã é ${dayOf(tomorrow)}.` : `Hoje é ${today}.`;
  return undefined;
}

function dayOf(tomorrow: string): string {
  return tomorrow.split(',', 2).join(',');
}
