import { offeredKindsOf } from '../../text/asked-kind.ts';
import { foldText } from '../../text/fold.ts';

/*
 * Questions that passages answer, proposed without a model: a question of the text stays as it is; a heading becomes "Qual",
 * "Quando" or "Quanto" by its first noun and by what its text offers. A heading that stands under several others is asked with the
 * one above it. Questions of the text come first, headings that no rule knows last, and within each the pages take turns, and so do
 * the folders of their addresses. Of a heading that many have, such as the fee of each course, the first ones stand for the others.
 */

export interface ReadPassage {
  readonly id: string;
  /** Begins with `## ` and the path of its headings, if it has any. */
  readonly content: string;
  /** Its document and page. */
  readonly page: string;
}

export interface ProposedQuestion {
  readonly question: string;
  /** The passages that it was read from. */
  readonly passageIds: readonly string[];
}

interface Candidate {
  readonly question: string;
  readonly passage: ReadPassage;
  /** Lower ones come first. */
  readonly rank: number;
}

interface Heading {
  readonly text: string;
  readonly above: string | undefined;
  readonly passage: ReadPassage;
  readonly body: string;
}

const SEPARATOR = ' > ';
const [SHORTEST, LONGEST] = [3, 150];
/** Characters of a passage that are looked at. */
const MAX_READ = 4_000;
const [AS_WRITTEN, BY_RULE, ANY, ALIKE] = [0, 1, 2, 3];
const MAX_ALIKE = 3;

const wordSet = (words: string) => new Set(words.split(' '));
/** Headings of a page's frame. */
const framing = new Set(
  'inicio|home|menu|sobre|sobre nos|sumario|introducao|apresentacao|leia mais|saiba mais|veja tambem|compartilhe|pesquisar|buscar|navegacao|newsletter|redes sociais|acesso rapido|links uteis'.split(
    '|',
  ),
);
const asking = /^(?:como|quando|onde|quem|qual|quais|quanto|quantos|quanta|quantas|o que|por que|posso)\b/;
/** Nouns that are asked for by their name. */
const named = wordSet(
  'horario taxa valor prazo endereco telefone documento requisito curso vaga mensalidade preco periodo data calendario contato criterio etapa modalidade forma bolsa beneficio disciplina duracao localizacao email desconto cota regra norma objetivo custo programa edital nota carga',
);
/** Nouns that have a day. */
const dated = wordSet(
  'inscricao matricula rematricula prova vestibular resultado aula ferias recesso semestre formatura colacao evento entrevista chamada divulgacao concurso trancamento',
);
const masculineInA = wordSet('programa problema sistema tema mapa dia diploma idioma cronograma');
const feminine = /(?:a|cao|sao|dade|tude|gem|ice|^ferias)$/;

/** At most `max`, of different words. */
export function proposeQuestions(passages: readonly ReadPassage[], max: number): ProposedQuestion[] {
  const read = passages.flatMap(headingOf);
  const titles = new Set(
    read.filter(isUnderTitle).map(({ above = '', passage }) => `${passage.page} ${above}`),
  );
  const headings = read.filter(
    ({ text, above, passage }) => above !== undefined || !titles.has(`${passage.page} ${text}`),
  );
  const places = new Map<string, Map<string, number>>();
  for (const { text, above = '' } of headings) {
    const known = places.get(foldText(text)) ?? new Map<string, number>();
    places.set(foldText(text), known.has(above) ? known : known.set(above, known.size));
  }
  const candidates = [
    ...passages.flatMap(writtenIn),
    ...headings.map(heading => {
      const known = places.get(foldText(heading.text));
      const candidate = candidateOf(heading, (known?.size ?? 0) > 1);
      return (known?.get(heading.above ?? '') ?? 0) < MAX_ALIKE ? candidate : { ...candidate, rank: ALIKE };
    }),
  ];
  const found = new Map<string, { question: string; passageIds: string[]; rank: number; page: string }>();
  for (const { question, passage, rank } of candidates) {
    const key = keyOfQuestion(question);
    const known = found.get(key);
    if (!known) found.set(key, { question, passageIds: [passage.id], rank, page: passage.page });
    else if (!known.passageIds.includes(passage.id)) known.passageIds.push(passage.id);
  }
  const inOrder = [AS_WRITTEN, BY_RULE, ANY, ALIKE].flatMap(rank =>
    inTurns([...found.values()].filter(each => each.rank === rank)),
  );
  return inOrder.slice(0, max).map(({ question, passageIds }) => ({ question, passageIds }));
}

/** Questions with the same key are one. */
export function keyOfQuestion(question: string): string {
  return (
    foldText(question)
      .match(/[\p{L}\p{N}]+/gu)
      ?.join(' ') ?? ''
  );
}

function headingOf(passage: ReadPassage): Heading[] {
  const { content } = passage;
  if (!content.startsWith('## ')) return [];
  const end = content.indexOf('\n');
  const body = end < 0 ? '' : content.slice(end, end + MAX_READ).trim();
  const path = content.slice(3, end < 0 ? undefined : end).split(SEPARATOR);
  const text = path.at(-1)?.trim().replace(/[:.]$/, '') ?? '';
  const isOfFrame = framing.has(foldText(text)) || !/\p{L}{3}/u.test(text);
  if (body === '' || isOfFrame || text.length < SHORTEST || text.length > LONGEST) return [];
  return [{ text, above: path.at(-2)?.trim(), passage, body }];
}

/** `Cursos – Faculdade Serra > Cursos`: the upper one is the title of the page, and heads what its headings do not. */
function isUnderTitle({ text, above = '' }: Heading): boolean {
  return foldText(above).startsWith(foldText(text));
}

/** The lines of a passage that are questions, such as those of a list of frequent ones. */
function writtenIn(passage: ReadPassage): Candidate[] {
  return passage.content
    .slice(0, MAX_READ)
    .split('\n')
    .filter(line => !line.startsWith('## '))
    .map(questionIn)
    .filter(line => line.length <= LONGEST && isOneQuestion(line))
    .map(question => ({ question, passage, rank: AS_WRITTEN }));
}

/** The line without the marks and the number of an item; empty if it does not end as a question does. */
function questionIn(line: string): string {
  const end = line.lastIndexOf('?') + 1;
  if (/[\p{L}\p{N}]/u.test(line.slice(end))) return '';
  const text = line.slice(0, end).replace(/^[^\p{L}\p{N}¿]+/u, '');
  return text.replace(/^\d{1,3}[.)][^\p{L}]*/u, '');
}

/** A whole one, which needs no sentence before it. */
function isOneQuestion(line: string): boolean {
  const isSingle = !/[.?!]\s/.test(line) && !line.includes('|');
  return isSingle && line.split(' ').length >= 3;
}

function candidateOf(heading: Heading, isRepeated: boolean): Candidate {
  const { text, above, passage } = heading;
  const [question, rank] = questionOf(heading);
  const inside = isRepeated && above !== undefined ? `${above}: ${lowerFirst(question)}` : question;
  return { question: rank === AS_WRITTEN && text.endsWith('?') ? question : inside, passage, rank };
}

function questionOf({ text, body }: Heading): readonly [question: string, rank: number] {
  if (text.endsWith('?')) return [text, AS_WRITTEN];
  const folded = foldText(text);
  if (asking.test(folded)) return [`${text}?`, AS_WRITTEN];
  const [first = ''] = folded.split(/[^a-z0-9-]/);
  const isPlural = first.length > 3 && first.endsWith('s') && first !== 'campus';
  const noun = singularOf(first);
  const isFeminine = feminine.test(noun) && !masculineInA.has(noun);
  const subject = `${isFeminine ? 'a' : 'o'}${isPlural ? 's' : ''} ${lowerFirst(text)}`;
  const [is, which, costs] = isPlural ? ['são', 'Quais', 'custam'] : ['é', 'Qual', 'custa'];
  if (named.has(noun)) return [`${which} ${is} ${subject}?`, BY_RULE];
  const offered = offeredKindsOf(foldText(body));
  if (dated.has(noun) && offered.includes('time')) return [`Quando ${is} ${subject}?`, BY_RULE];
  if (dated.has(noun) && offered.includes('money')) return [`Quanto ${costs} ${subject}?`, BY_RULE];
  return [`Quais são as informações sobre ${text}?`, ANY];
}

function singularOf(word: string): string {
  if (word === 'ferias' || !word.endsWith('s')) return word;
  if (word.endsWith('coes')) return `${word.slice(0, -3)}ao`;
  if (/(?:ores|res|zes)$/.test(word)) return word.slice(0, -2);
  if (word.endsWith('gens')) return `${word.slice(0, -2)}m`;
  if (word.endsWith('ais')) return `${word.slice(0, -2)}l`;
  return word.slice(0, -1);
}

/** A name in capitals stays, a heading in capitals does not. */
function lowerFirst(text: string): string {
  const isLoud = text === text.toUpperCase() && text.includes(' ');
  if (isLoud) return text.toLowerCase();
  return /^\p{Lu}{2}/u.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);
}

/** One of each page, then the second of each, and so on; and within such a round the folders of a site take turns. */
function inTurns<T extends { readonly page: string }>(items: readonly T[]): T[] {
  const taken = new Map<string, number>();
  const take = (place: string) => {
    const turn = taken.get(place) ?? 0;
    taken.set(place, turn + 1);
    return turn;
  };
  const turns = items.map(item => {
    const round = take(item.page);
    return { item, round, turn: take(`${round} ${folderOf(item.page)}`) };
  });
  return turns.toSorted((a, b) => a.round - b.round || a.turn - b.turn).map(({ item }) => item);
}

const folderOf = (page: string) => page.slice(0, page.lastIndexOf('/', page.length - 2) + 1);
