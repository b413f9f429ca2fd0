import { foldText } from '../fold.ts';
import { wordsOf } from '../words.ts';

/** In characters: a longer message says more than a greeting. */
const MAX_LENGTH = 200;
/** Words of a message that only greets, thanks or says goodbye. */
const POLITE =
  'oi oie oii oiii ola opa hey hello hi salve alo eai hola buenos dias buenas tardes obrigado obrigada obrigadao brigado brigada obg vlw ' +
  'valeu agradeco grato grata gracias thanks tchau xau adeus flw falou a o as os e ao aos de da do pela pelo por com para pra voce voces ' +
  'vc vcs te me muito muita mesmo tudo bem bom boa dia tarde noite semana fim como vai vao esta estao ta ok certo entendi beleza blz joia ' +
  'show otimo otima perfeito legal ajuda atencao resposta informacao gente pessoal mais logo ate proxima amanha breve ja so isso era ' +
  'entao nao sim ne hein ai todos todas tenha tenham um uma equipe abraco';
const polite: ReadonlySet<string> = new Set(POLITE.split(' '));
const IDENTITY =
  /\b(?:quem (?:e|eh) (?:voce|vc)|(?:voce|vc) (?:e|eh) (?:um |uma )?(?:robo|bot|ia|humano|humana|pessoa|maquina)|(?:seu|teu) (?:nome|modelo)|como (?:voce|vc) se chama|com quem (?:eu )?(?:estou |to )?fal(?:o|ando))\W*$/;
export type SmallTalk = 'farewell' | 'thanks' | 'greeting' | 'identity';

/** The first pattern that matches decides. */
const kinds: readonly (readonly [SmallTalk, RegExp])[] = [
  ['farewell', /\b(?:tchau|xau|adeus|flw|falou|ate (?:mais|logo|breve|amanha|a proxima))\b/],
  [
    'thanks',
    /\b(?:(?:muito )?(?:obrigad|brigad|grat[oa]\b)|obg|vlw|valeu|agradeco|gracias|thanks|ok|certo|entendi|beleza|blz|show|otim[oa]|perfeito|legal)/,
  ],
  ['greeting', /^/],
];

/** What a message is that only greets, thanks, says goodbye or asks who answers; else undefined. */
export function smallTalkOf(message: string): SmallTalk | undefined {
  if (message.length > MAX_LENGTH) return undefined;
  const text = foldText(message);
  if (IDENTITY.test(text)) return 'identity';
  if (!wordsOf(text).every(word => polite.has(word))) return undefined;
  return kinds.find(([, words]) => words.test(text))?.[0];
}

/* The line of the prompt with the clock of the host answers questions about the present: the day, the hour, and whether it is open. */

/** In characters. A longer message asks for more. */
const MAX_QUESTION_LENGTH = 120;

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

/** Undefined for any other question, also one about a part of the host, which has its own hours. */
export function answerFromClock(
  question: string,
  earlier: readonly string[],
  line: string,
): string | undefined {
  if (question.length > MAX_QUESTION_LENGTH) return undefined;
  const clock = CLOCK.exec(line)?.groups;
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
  if (!asksDay(subject)) return undefined;
  return asksTomorrow(question) ? `Amanhã é ${tomorrow.split(',', 2).join(',')}.` : `Hoje é ${today}.`;
}
