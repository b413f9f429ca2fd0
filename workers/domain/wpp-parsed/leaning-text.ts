import type { WppItem } from './wpp-item.ts';

/*
 * A link of a sentence becomes a message of its own. Where the words before it need an object ("é feita em …", "acesse
 * o …", "consulte …"), the text would end in the middle of a sentence: it leans on the link, and says its name too.
 */

const DETERMINERS =
  wordsIn(`a as à às ao aos o os um uma uns umas do da dos das dum duma no na nos nas num numa pelo pela pelos
  pelas pro pra pros pras este esta estes estas esse essa esses essas aquele aquela aqueles aquelas àquele àquela deste desta
  destes destas desse dessa desses dessas daquele daquela daqueles daquelas neste nesta nestes nestas nesse nessa nesses nessas
  naquele naquela meu minha meus minhas teu tua teus tuas seu sua seus suas nosso nossa nossos nossas vosso vossa cada qualquer
  outro outra novo nova próprio própria
  el la los las lo al del un una unos unas ese esos esas aquel aquella su sus mi mis tu tus nuestro nuestra nuestros nuestras
  nuevo nueva
  the an this these those my your our their his her its each every another`);

/** Prepositions, and verbs that say what something is or where it stands. */
const CONNECTIVES =
  wordsIn(`de em por para com sem sob sobre até após entre contra desde via durante mediante conforme segundo
  perante é são está estão fica ficam será serão
  en con sin hasta hacia según tras es son están queda quedan
  at on in into onto to from of by for with without through under over about across within near is are was were`);

/** Portuguese and Spanish verbs of what a person does with a page, a document or a thing, and of what these have. */
const REGULAR_VERBS = `acessar consultar visitar baixar usar utilizar enviar acompanhar assinar buscar procurar pesquisar comprar clicar
  tocar apertar copiar encontrar informar digitar selecionar marcar solicitar reservar agendar contatar chamar mandar levar
  mostrar apresentar pagar gerar salvar guardar instalar anexar completar cadastrar atualizar experimentar testar explorar
  verificar analisar observar olhar aproveitar adicionar compartilhar entregar indicar liberar alterar cancelar confirmar
  preencher escolher conhecer receber oferecer escrever abrir imprimir emitir exibir descobrir reunir
  descargar revisar llamar pulsar seleccionar rellenar leer escoger compartir`;

const OTHER_VERBS =
  wordsIn(`ver veja vejam vê vejo rever reveja ler leia leiam lê fazer faça façam faz trazer traga traz obter obtenha
  obtém ter tenha tem têm temos há conter contém contêm conferir confira confiram confere seguir siga sigam segue seguem
  ouvir ouça ouçam ouve pedir peça peçam pede incluir inclui incluem possuir possui possuem adquirir adquira
  vea vean siga sigan sigue haga haz tiene tienen hay oír oiga pedir pida pidan pide elegir elija elijan elige conozca
  encuentre encuentra envíe envíen envía incluye incluyen`);

/** Between a verb and its object, also with a comma behind them: "acesse, por favor, …". */
const ADVERBS = wordsIn(`favor também ainda agora já sempre apenas somente só logo antes primeiro diretamente
  también ahora ya siempre solo sólo solamente primero directamente
  please also now just always only first directly out`);

const ENGLISH_VERBS =
  wordsIn(`see read check visit open use click download access follow fill find get try watch view choose complete submit
  contact call include includes contain contains offer offers have has send print copy enter select browse explore`);

const VERBS = new Set([...OTHER_VERBS, ...ENGLISH_VERBS, ...[...wordsIn(REGULAR_VERBS)].flatMap(formsOf)]);

const INFINITIVES = new Set([...VERBS].filter(verb => verb.endsWith('r') && !ENGLISH_VERBS.has(verb)));

function wordsIn(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/));
}

/** Of an infinitive: the forms that ask somebody to do it, those of what is done, and the gerunds. */
function formsOf(infinitive: string): string[] {
  const stem = infinitive.slice(0, -2);
  if (infinitive.endsWith('ar')) {
    const beforeE = stem.replace(/c$/, 'qu').replace(/g$/, 'gu').replace(/ç$/, 'c');
    return [infinitive, ...withEndings(beforeE, 'e em en emos'), ...withEndings(stem, 'a am an amos ando')];
  }
  const beforeA = stem.replace(/c$/, 'ç').replace(/g$/, 'j');
  return [
    infinitive,
    ...withEndings(beforeA, 'a am an amos'),
    ...withEndings(stem, 'e em en emos imos endo indo iendo'),
  ];
}

function withEndings(stem: string, endings: string): string[] {
  return endings.split(' ').map(ending => stem + ending);
}

/** More than the longest of the words and those behind it, with marks and opening signs around them. */
const MAX_ENDING = 80;

const OPENING = /^["'“‘«([{]+/;

/** A payment code, which must not be said twice: 44 digits or more, or the beginning of a Pix code. */
const MIN_CODE_DIGITS = 44;
const PIX_START = '000201';

/** Between two links of one sentence. */
const CONJUNCTION = /^(?:e|ou|y|o|u|and|or)$/;

/**
 * Whether a text ends in a preposition, an article or a verb that needs what follows. The text includes the blank or the
 * opening sign behind its last word: without one, the link is a mark at that word.
 */
export function leansOnNext(text: string): boolean {
  const ending = text.slice(-MAX_ENDING);
  const line = ending.slice(ending.trimEnd().lastIndexOf('\n') + 1);
  const words = line
    .split(/[\s*_~]+/)
    .map(word => word.replace(OPENING, ''))
    .filter(word => word !== '');
  if (line.endsWith(words.at(-1) ?? '')) return false;
  return isUnfinished(words);
}

function isUnfinished(words: readonly string[]): boolean {
  const plain = words.map(word => word.toLowerCase());
  const last = plain.length - 1;
  // A colon leads to what follows: "Link de consulta:", also behind a verb.
  if (plain[last]?.endsWith(':')) return false;
  if (DETERMINERS.has(plain[last] ?? '') || CONNECTIVES.has(plain[last] ?? ''))
    return !isNamedLetter(words[last], words[last - 1]);
  const isBetween = (word: string, at: number) =>
    ADVERBS.has(word.replace(/,$/, '')) || (word === 'por' && /^favor,?$/.test(plain[at + 1] ?? ''));
  const at = plain.findLastIndex((word, index) => !isBetween(word, index));
  const [found = '', before = ''] = [plain[at], plain[at - 1]];
  const word = at < last ? found.replace(/,$/, '') : found;
  return VERBS.has(word) && !isNoun(word, before);
}

/** "Faça a consulta", "link de consulta", "our offer"; but "ao acessar", "to visit", "está acessando". */
function isNoun(word: string, before: string): boolean {
  if (INFINITIVES.has(word) || before === 'to' || word.endsWith('ndo')) return false;
  return DETERMINERS.has(before) || CONNECTIVES.has(before);
}

/** "Opção A" is a name; at the start of a sentence the letter is an article. */
function isNamedLetter(word = '', before = ''): boolean {
  return /^\p{Lu}$/u.test(word) && /[\p{L}\p{N}]$/u.test(before);
}

/** Whether the words between two links continue a list of them. */
export function isConjunction(text: string): boolean {
  return CONJUNCTION.test(text);
}

/** The name of an item inside a sentence; empty if it has none that may be said twice. */
export function nameOf(item: WppItem): string {
  if (!('url' in item)) return '';
  const name = item.description || item.url;
  const isBoleto = name.length >= MIN_CODE_DIGITS && name.replace(/\D/g, '').length >= MIN_CODE_DIGITS;
  return isBoleto || name.includes(PIX_START) ? '' : name;
}
