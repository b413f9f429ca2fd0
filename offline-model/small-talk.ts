import { foldText } from '../text/fold.ts';
import { wordsOf } from '../text/words.ts';

/** In characters: a longer message says more than a greeting. */
const MAX_LENGTH = 200;
/** Words that stand in a message that only greets, thanks or says goodbye. */
const POLITE =
  'oi oie oii oiii ola opa hey hello hi salve alo eai hola buenos dias buenas tardes obrigado obrigada obrigadao brigado brigada obg vlw ' +
  'valeu agradeco grato grata gracias thanks tchau xau adeus flw falou a o as os e ao aos de da do pela pelo por com para pra voce voces ' +
  'vc vcs te me muito muita mesmo tudo bem bom boa dia tarde noite semana fim como vai vao esta estao ta ok certo entendi beleza blz joia ' +
  'show otimo otima perfeito legal ajuda atencao resposta informacao gente pessoal mais logo ate proxima amanha breve ja so isso era ' +
  'entao nao sim ne hein ai todos todas tenha tenham um uma equipe abraco';
const polite: ReadonlySet<string> = new Set(POLITE.split(' '));
const IDENTITY =
  /\b(?:quem (?:e|eh) (?:voce|vc)|(?:voce|vc) (?:e|eh) (?:um |uma )?(?:robo|bot|ia|humano|humana|pessoa|maquina)|(?:seu|teu) (?:nome|modelo)|como (?:voce|vc) se chama|com quem (?:eu )?(?:estou |to )?fal(?:o|ando))\W*$/;
/** The first that a message has decides. */
const answers: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:tchau|xau|adeus|flw|falou|ate (?:mais|logo|breve|amanha|a proxima))\b/,
    'Até logo! Quando precisar, é só chamar.',
  ],
  [
    /\b(?:(?:muito )?(?:obrigad|brigad|grat[oa]\b)|obg|vlw|valeu|agradeco|gracias|thanks|ok|certo|entendi|beleza|blz|show|otim[oa]|perfeito|legal)/,
    'Por nada! Se precisar de mais alguma coisa, é só perguntar.',
  ],
  [/^/, 'Olá! Em que posso ajudar?'],
];

/** A short answer to a message that only greets, thanks, says goodbye or asks who answers; else undefined. */
export function answerSmallTalk(message: string): string | undefined {
  if (message.length > MAX_LENGTH) return undefined;
  const text = foldText(message);
  if (IDENTITY.test(text))
    return 'Sou um assistente automático (modelo offline-extractive): respondo com frases da base de conhecimento. O que você quer saber?';
  if (!wordsOf(text).every(word => polite.has(word))) return undefined;
  return answers.find(([words]) => words.test(text))?.[1];
}
