import type { Figure } from '../../../text/figures/figure.ts';
import { findFigures } from '../../../text/figures/find-figures.ts';
import { type Token, tokenAt } from '../../../text/figures/tokens.ts';
import { foldInPlace } from '../../../text/fold-in-place.ts';
import { type Span, splitSentences } from '../../../text/sentences.ts';
import { isSpecific, stemOf } from '../../../text/words.ts';
import { type Heading, headingLevelOf, isTableOfContents, makeHeadings } from './headings.ts';
import { readAttributes } from './read-attributes.ts';
import { readWeekdays } from './read-weekdays.ts';
import { readFree, readValue, type StatedValue } from './value-classes.ts';

/*
 * A passage is read as statements: its sentences and lines, each with its words and with the values that it gives. A word tells less
 * about a value the farther it stands, and less still where another value of the same class lies between: in `6 obras por 14 dias;
 * professores, 12`, the professors have the 12.
 */

export interface StatedWord extends Span {
  readonly stem: string;
  readonly at: number;
  readonly clause: number;
  /** Written like a name: with a capital, though nothing begins there. */
  readonly isName: boolean;
}

export interface Negation extends Span {
  /** The word that is denied. */
  readonly stem: string;
  readonly at: number;
  readonly clause: number;
}

export interface Statement extends Span {
  readonly words: readonly StatedWord[];
  readonly heading: Heading;
  readonly isRow: boolean;
  readonly values: readonly StatedValue[];
  readonly negations: readonly Negation[];
  /** It says what holds under a condition that denies: `quem não enviar`. */
  readonly isConditional: boolean;
}

export interface ReadPassage {
  readonly statements: readonly Statement[];
  readonly stems: ReadonlySet<string>;
}

/** The value as a word, beside which another value may stand. No stem has a blank. */
export function keyOf({ of, value }: Pick<StatedValue, 'of' | 'value'>): string {
  return `${of} ${value}`;
}

/** Statements behind these are not compared. */
const MAX_STATEMENTS = 60;
const MAX_LENGTH = 20_000;
/** A sentence of more is a table or a list; two passages of 5,000 numbers each are otherwise compared 25,000,000 times. */
const MAX_VALUES = 24;
const MAX_WORDS = 120;
const RULER = /^\|?[\s|:-]{3,}$/;
const EXAMPLE = /^(?:exemplos?|suponha|imagine|simulac(?:ao|oes))$/;
const CLAUSE_ENDS = new Set([',', ';', ':', '(', ')', '|', '-']);

export function readPassage(content: string): ReadPassage {
  const text = content.slice(0, MAX_LENGTH);
  const folded = foldInPlace(text);
  const { tokens, figures } = findFigures(folded);
  const headings = makeHeadings();
  const stems = new Set<string>();
  const statements: Statement[] = [];
  const spans = linesOf(text);
  let [token, figure] = [0, 0];
  for (const [number, span] of spans.entries()) {
    while (tokenAt(tokens, token).end !== 0 && tokenAt(tokens, token).start < span.from) token += 1;
    const firstToken = token;
    while (token < tokens.length && tokenAt(tokens, token).start < span.to) token += 1;
    const firstFigure = figure;
    while ((figures[figure]?.start ?? Number.POSITIVE_INFINITY) < span.to) figure += 1;
    const own = { tokens: tokens.slice(firstToken, token), figures: figures.slice(firstFigure, figure) };
    const read = statementOf(text, span, own);
    for (const { stem } of read.words) stems.add(stem);
    for (const value of read.values) stems.add(keyOf(value));
    const next = spans[number + 1];
    const isAboveRows = read.isRow && next !== undefined && RULER.test(text.slice(next.from, next.to));
    const its = () => ({ stems: new Set(read.words.map(({ stem }) => stem)), values: read.values });
    const level = headingLevelOf(text.slice(span.from, span.to));
    if (level !== undefined) headings.add(level, its());
    else if (isAboveRows || !read.isRow) headings.endTable();
    // A table without a header has its first row there, which states something.
    const isHeader = isAboveRows && read.values.length === 0;
    if (isHeader) headings.addTableHeader(its());
    const heading = headings.current();
    if (level !== undefined || isHeader || read.words.length === 0) continue;
    statements.push({ ...read, heading, values: isTableOfContents(heading) ? [] : read.values });
  }
  return { statements: statements.slice(), stems };
}

/** Returns the sentences, and headings as whole lines. A semicolon separates statements, too. */
function linesOf(text: string): Span[] {
  const spans: Span[] = [];
  for (const span of splitSentences(text, MAX_STATEMENTS)) {
    const last = spans.at(-1);
    if (last && span.from < last.to) continue;
    const lineEnd = text.indexOf('\n', span.from);
    const end = lineEnd < 0 ? text.length : lineEnd;
    const isHeading = headingLevelOf(text.slice(span.from, end)) !== undefined;
    spans.push(...(isHeading ? [{ from: span.from, to: end }] : splitLists(text, span)));
  }
  return spans;
}

function splitLists(text: string, { from, to }: Span): Span[] {
  const spans: Span[] = [];
  let start = from;
  for (let at = from; at < to && text[from] !== '|'; at += 1) {
    if (text[at] !== ';') continue;
    spans.push({ from: start, to: at });
    start = at + 1;
  }
  return [...spans, { from: start, to }].filter(span => span.to > span.from);
}

interface Read {
  readonly tokens: readonly Token[];
  readonly figures: readonly Figure[];
}

function statementOf(text: string, span: Span, { tokens, figures }: Read): Omit<Statement, 'heading'> {
  const words: StatedWord[] = [];
  const values: StatedValue[] = [];
  const weekdays = readWeekdays(tokens);
  let [clause, next] = [0, 0];
  for (const [at, token] of tokens.entries()) {
    for (let figure = figures[next]; figure && figure.start < token.end; figure = figures[++next]) {
      const value = readValue(tokens, at, figure);
      if (value) values.push({ ...value, at, from: figure.start, to: figure.end });
    }
    if (CLAUSE_ENDS.has(token.text)) clause += 1;
    const free = readFree(tokens, at);
    if (free) values.push({ ...free, at, from: token.start, to: token.end });
    const isInFigure = (figures[next - 1]?.end ?? 0) > token.start;
    const isWeekday = weekdays.some(({ from, to }) => token.start >= from && token.start < to);
    if (isInFigure || isWeekday || token.type !== 'word' || !isSpecific(token.text)) continue;
    const stem = stemOf(token.text);
    if (stem.length > 1 && words.length < MAX_WORDS)
      words.push({ stem, at, clause, isName: isName(text, tokens, at), from: token.start, to: token.end });
  }
  const all = [...values, ...weekdays, ...readAttributes(text, tokens)].toSorted((a, b) => a.from - b.from);
  const isRow = text[span.from] === '|';
  // Another example has other numbers.
  const stated = tokens.some(token => EXAMPLE.test(token.text)) ? [] : all.slice(0, MAX_VALUES);
  // All passages of a host are in memory: none keeps the room for more.
  return { ...span, words: words.slice(), isRow, values: stated, ...negationsOf(tokens) };
}

function isName(text: string, tokens: readonly Token[], at: number): boolean {
  const { start, isFirst } = tokenAt(tokens, at);
  const letter = text.charAt(start);
  return at > 0 && !isFirst && letter !== letter.toLowerCase() && tokenAt(tokens, at - 1).type !== 'sign';
}

const NOT = new Set(['nao', 'nunca', 'jamais', 'sem', 'nem', 'tampouco']);
/** A condition states nothing: `quem não enviar`. */
const CONDITIONS = new Set(
  'quem se caso quando que salvo exceto senao desde embora enquanto cujo cuja'.split(' '),
);
/** They rule their whole clause. */
const CLAUSE_CONDITIONS = new Set('se caso salvo exceto enquanto'.split(' '));
/** What is not done to a thing tells which thing: `as vagas não preenchidas`. */
const PARTICIPLE = /[ai]d[oa]s?$/;
/** Another verb says what is denied: `não deverá ser computada`. */
const AUXILIARY =
  /^(?:dev(?:e|em|era|erao|eria|eriam|endo)|pod(?:e|em|era|erao|eria|eriam)|s(?:er|era|erao|eja|ejam|ido|endo)|est(?:a|ao|ara|arao|iver|iverem|eja|ejam)|te(?:m|ra|rao|nha|nham)|ha|havera|haja|fica|ficam|ficara|ficarao|vai|vao)$/;
/** They are part of a name: `estágio não obrigatório`. */
const NAMED_BY_NOT = /^(?:obrigatori|presencia|remunerad|uteis|util|letiv|cumulativ|governamenta)/;
/** They deny the word beside them. */
const DENIALS: readonly (readonly [pattern: RegExp, stem: string])[] = [
  [/^(?:proibid|vedad|impedid|defes)[oa]s?$/, stemOf('permitido')],
  [/^(?:dispensad|desnecessari)/, stemOf('exigido')],
  [/^(?:intransferive)/, stemOf('transferivel')],
];
/** An item of a list of conditions or duties: `a) não renovar a matrícula`. */
const LIST_MARK = 2;
const MAX_REACH = 6;

function negationsOf(tokens: readonly Token[]): Pick<Statement, 'negations' | 'isConditional'> {
  const found: Negation[] = [];
  let clause = 0;
  let isConditional = false;
  for (const [at, { text, start, end }] of tokens.entries()) {
    if (CLAUSE_ENDS.has(text)) clause += 1;
    const denied = DENIALS.find(([pattern]) => pattern.test(text));
    if (denied) found.push({ stem: denied[1], at, clause, from: start, to: end });
    if (!NOT.has(text)) continue;
    if (isConditionalAt(tokens, at)) {
      isConditional = true;
      continue;
    }
    if (at <= LIST_MARK && /[aei]r$/.test(tokenAt(tokens, at + 1).text)) continue;
    if (text === 'nao' && NAMED_BY_NOT.test(tokenAt(tokens, at + 1).text)) continue;
    for (let behind = at + 1; behind < at + MAX_REACH; behind += 1) {
      const word = tokenAt(tokens, behind);
      if (word.type === 'sign' || word.text === '') break;
      if (word.type !== 'word' || !isSpecific(word.text) || AUXILIARY.test(word.text)) continue;
      found.push({ stem: stemOf(word.text), at: behind, clause, from: start, to: word.end });
      break;
    }
  }
  return { negations: found, isConditional };
}

function isConditionalAt(tokens: readonly Token[], at: number): boolean {
  if (isCondition(tokens, at - 1) || isCondition(tokens, at - 2)) return true;
  const [before, behind] = [tokenAt(tokens, at - 1), tokenAt(tokens, at + 1)];
  if (before.text === 'ou') return true;
  if (before.type === 'word' && isSpecific(before.text) && PARTICIPLE.test(behind.text)) return true;
  let commas = 0;
  for (let back = at - 1; back >= 0; back -= 1) {
    const { text } = tokenAt(tokens, back);
    if (text === ',') commas += 1;
    else if (CLAUSE_ENDS.has(text)) return false;
    // Behind one comma the main clause begins; `se o aluno, no prazo, não enviar` has two.
    if (CLAUSE_CONDITIONS.has(text)) return commas !== 1;
  }
  return false;
}

function isCondition(tokens: readonly Token[], at: number): boolean {
  const { text } = tokenAt(tokens, at);
  // This is `um encontro, que não é obrigatório`.
  return CONDITIONS.has(text) && !(text === 'que' && tokenAt(tokens, at - 1).text === ',');
}
