import { splitIntoWords, toComparableText } from './extraction/words.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const greetings = words('oi oie oii oiii ola opa hey hello hi salve saudacoes alo eai');
const thanks = words(
  'obrigado obrigada obrigadao brigado brigada obg vlw valeu agradeco agradecido agradecida grato grata',
);
const farewells = words('tchau xau adeus flw falou');
const polite = words(
  'a o as os e ao aos de da do pela pelo por com para pra voce voces vc vcs eu te me muito muita mesmo tudo bem bom bons boa dia tarde noite ' +
    'semana fim final como vai vao esta estao ta ok certo entendi beleza blz joia show otimo otima perfeito legal ajuda atencao ' +
    'resposta informacao informacoes gente pessoal amigo amiga mais logo ate proxima amanha breve ja so isso era entao nada nao sim ne hein ai ' +
    'todos todas prazer tenha tenham um uma pessoas time equipe deus abraco abracos',
);

const aboutMe =
  /^(?:(?:oi|ola|mas|e|entao|afinal)[, ]+)*(?:quem (?:e|eh) (?:voce|vc|tu)|(?:voce|vc) (?:e|eh) (?:um |uma |o |a )?(?:robo|bot|ia|humano|humana|pessoa|maquina|inteligencia artificial)|qual (?:e |eh )?(?:o )?(?:seu|teu) (?:nome|modelo)|como (?:voce|vc) se chama|o que (?:voce|vc) (?:faz|sabe fazer|pode fazer)|com quem (?:eu )?(?:estou |to )?fal(?:o|ando))\b.{0,25}$/;

const greeting = 'Olá! Em que posso ajudar?';
const welcome = 'Por nada! Se precisar de mais alguma coisa, é só perguntar.';
const farewell = 'Até logo! Quando precisar, é só chamar.';
const introduction =
  'Sou um assistente automático (modelo offline-extractive): respondo com frases da base de conhecimento. O que você quer saber?';

function hasMarker(
  spoken: readonly string[],
  folded: string,
  markers: ReadonlySet<string>,
  phrase: RegExp,
): boolean {
  return spoken.some(word => markers.has(word)) || phrase.test(folded);
}

/** A short answer to a message that only greets, thanks, says goodbye or asks who answers; else undefined. */
export function smallTalkAnswer(message: string): string | undefined {
  if (message.length > 200) return undefined;
  const folded = toComparableText(message).trim();
  if (aboutMe.test(folded)) return introduction;
  const spoken = splitIntoWords(message);
  const isOnlyPolite = spoken.every(
    word => greetings.has(word) || thanks.has(word) || farewells.has(word) || polite.has(word),
  );
  if (!isOnlyPolite) return undefined;
  if (hasMarker(spoken, folded, farewells, /\bate (mais|logo|breve|amanha|a proxima)\b/)) return farewell;
  if (hasMarker(spoken, folded, thanks, /^(ok|certo|entendi|beleza|blz|show|otim[oa]|perfeito|legal)\b/))
    return welcome;
  if (hasMarker(spoken, folded, greetings, /\b(bom dia|boa tarde|boa noite|tudo bem|como vai|tudo bom)\b/))
    return greeting;
  return spoken.length === 0 ? greeting : undefined;
}
