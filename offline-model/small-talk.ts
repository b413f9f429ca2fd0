import { splitIntoWords, toComparableText } from './extraction/words.ts';

/** Characters. A longer message says more than a greeting. */
const MAX_SMALL_TALK_LENGTH = 200;

const parseWords = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const greetingWords = parseWords('oi oie oii oiii ola opa hey hello hi salve saudacoes alo eai');
const thanksWords = parseWords(
  'obrigado obrigada obrigadao brigado brigada obg vlw valeu agradeco agradecido agradecida grato grata',
);
const farewellWords = parseWords('tchau xau adeus flw falou');
const politeWords = parseWords(
  'a o as os e ao aos de da do pela pelo por com para pra voce voces vc vcs eu te me muito muita mesmo tudo bem bom bons boa dia tarde noite ' +
    'semana fim final como vai vao esta estao ta ok certo entendi beleza blz joia show otimo otima perfeito legal ajuda atencao ' +
    'resposta informacao informacoes gente pessoal amigo amiga mais logo ate proxima amanha breve ja so isso era entao nada nao sim ne hein ai ' +
    'todos todas prazer tenha tenham um uma pessoas time equipe deus abraco abracos',
);

const identityQuestion =
  /^(?:(?:oi|ola|mas|e|entao|afinal)[, ]+)*(?:quem (?:e|eh) (?:voce|vc|tu)|(?:voce|vc) (?:e|eh) (?:um |uma |o |a )?(?:robo|bot|ia|humano|humana|pessoa|maquina|inteligencia artificial)|qual (?:e |eh )?(?:o )?(?:seu|teu) (?:nome|modelo)|como (?:voce|vc) se chama|o que (?:voce|vc) (?:faz|sabe fazer|pode fazer)|com quem (?:eu )?(?:estou |to )?fal(?:o|ando))\b.{0,25}$/;

const greetingText = 'Olá! Em que posso ajudar?';
const welcomeText = 'Por nada! Se precisar de mais alguma coisa, é só perguntar.';
const farewellText = 'Até logo! Quando precisar, é só chamar.';
const introductionText =
  'Sou um assistente automático (modelo offline-extractive): respondo com frases da base de conhecimento. O que você quer saber?';

function hasMarker(
  words: readonly string[],
  comparableText: string,
  markers: ReadonlySet<string>,
  phrase: RegExp,
): boolean {
  return words.some(word => markers.has(word)) || phrase.test(comparableText);
}

/** A short answer to a message that only greets, thanks, says goodbye or asks who answers; else undefined. */
export function answerSmallTalk(message: string): string | undefined {
  if (message.length > MAX_SMALL_TALK_LENGTH) return undefined;
  const comparableText = toComparableText(message).trim();
  if (identityQuestion.test(comparableText)) return introductionText;
  const words = splitIntoWords(message);
  const isOnlyPolite = words.every(
    word =>
      greetingWords.has(word) || thanksWords.has(word) || farewellWords.has(word) || politeWords.has(word),
  );
  if (!isOnlyPolite) return undefined;
  if (hasMarker(words, comparableText, farewellWords, /\bate (mais|logo|breve|amanha|a proxima)\b/))
    return farewellText;
  if (
    hasMarker(
      words,
      comparableText,
      thanksWords,
      /^(ok|certo|entendi|beleza|blz|show|otim[oa]|perfeito|legal)\b/,
    )
  )
    return welcomeText;
  if (
    hasMarker(
      words,
      comparableText,
      greetingWords,
      /\b(bom dia|boa tarde|boa noite|tudo bem|como vai|tudo bom)\b/,
    )
  )
    return greetingText;
  return words.length === 0 ? greetingText : undefined;
}
