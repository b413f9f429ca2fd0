import type { Figure } from '../../../text/figures/figure.ts';
import { findFigures } from '../../../text/figures/find-figures.ts';
import { type Token, tokenAt } from '../../../text/figures/tokens.ts';
import { foldInPlace } from '../../../text/fold-in-place.ts';
import { type Span, splitSentences } from '../../../text/sentences.ts';
import { isSpecific, stemOf } from '../../../text/words.ts';
import { readWeekdays } from './read-weekdays.ts';
import { readValue, type StatedValue } from './value-classes.ts';

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
  readonly values: readonly StatedValue[];
  readonly negations: readonly Negation[];
  /** It says what holds under a condition that denies: `quem não enviar`. */
  readonly isConditional: boolean;
}

export interface ReadPassage {
  readonly statements: readonly Statement[];
  /** The stems of its headings, and of the header of its table. */
  readonly heading: ReadonlySet<string>;
  readonly stems: ReadonlySet<string>;
  /** The values that its headings name: years, terms, calls. */
  readonly headingValues: readonly StatedValue[];
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
const HEADING = /^(?:#{1,6}\s|\*\*[^*\n]{1,120}\*\*\s*$)/;
const RULER = /^\|?[\s|:-]{3,}$/;
const CLAUSE_ENDS = new Set([',', ';', ':', '(', ')', '|', '-']);

export function readPassage(content: string): ReadPassage {
  const text = content.slice(0, MAX_LENGTH);
  const folded = foldInPlace(text);
  const { tokens, figures } = findFigures(folded);
  const heading = new Set<string>();
  const headingValues: StatedValue[] = [];
  const statements: Statement[] = [];
  const spans = splitSentences(text, MAX_STATEMENTS).flatMap(span => splitLists(text, span));
  let [token, figure] = [0, 0];
  for (const [number, span] of spans.entries()) {
    const firstToken = token;
    while (token < tokens.length && tokenAt(tokens, token).start < span.to) token += 1;
    const firstFigure = figure;
    while ((figures[figure]?.start ?? Number.POSITIVE_INFINITY) < span.to) figure += 1;
    const own = { tokens: tokens.slice(firstToken, token), figures: figures.slice(firstFigure, figure) };
    const line = text.slice(span.from, span.to);
    const next = spans[number + 1];
    const isHeader = next !== undefined && line.startsWith('|') && RULER.test(text.slice(next.from, next.to));
    const statement = statementOf(text, span, own);
    if (isHeader || HEADING.test(line)) {
      for (const { stem } of statement.words) heading.add(stem);
      headingValues.push(...statement.values);
    } else if (statement.words.length > 0) statements.push(statement);
  }
  const stems = new Set(heading);
  for (const { words, values } of statements) {
    for (const { stem } of words) stems.add(stem);
    for (const value of values) stems.add(keyOf(value));
  }
  for (const value of headingValues) stems.add(keyOf(value));
  return { statements, heading, stems, headingValues };
}

/** A semicolon separates statements, too. */
function splitLists(text: string, { from, to }: Span): Span[] {
  const spans: Span[] = [];
  let start = from;
  for (let at = from; at < to; at += 1) {
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

function statementOf(text: string, span: Span, { tokens, figures }: Read): Statement {
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
    const isInFigure = (figures[next - 1]?.end ?? 0) > token.start;
    const isWeekday = weekdays.some(({ from, to }) => token.start >= from && token.start < to);
    if (isInFigure || isWeekday || token.type !== 'word' || !isSpecific(token.text)) continue;
    const stem = stemOf(token.text);
    if (stem.length > 1 && words.length < MAX_WORDS)
      words.push({ stem, at, clause, isName: isName(text, tokens, at), from: token.start, to: token.end });
  }
  const all = [...values, ...weekdays].toSorted((a, b) => a.from - b.from);
  return { ...span, words, values: all.slice(0, MAX_VALUES), ...negationsOf(tokens) };
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
/** They are part of a name: `estágio não obrigatório`. */
const NAMED_BY_NOT = /^(?:obrigatori|presencia|remunerad|uteis|util|letiv|cumulativ|governamenta)/;
/** They deny the word beside them. */
const DENIALS: readonly (readonly [pattern: RegExp, stem: string])[] = [
  [/^(?:proibid|vedad|impedid|defes)[oa]s?$/, stemOf('permitido')],
  [/^(?:facultativ|opciona)/, stemOf('obrigatorio')],
  [/^(?:dispensad|desnecessari)/, stemOf('exigido')],
  [/^(?:intransferive)/, stemOf('transferivel')],
];
/** An item of a list of conditions or duties: `a) não renovar a matrícula`. */
const LIST_MARK = 2;
const MAX_REACH = 6;
const MAX_DENIED = 2;

function negationsOf(tokens: readonly Token[]): Pick<Statement, 'negations' | 'isConditional'> {
  const found: Negation[] = [];
  let clause = 0;
  let isConditional = false;
  for (const [at, { text, start, end }] of tokens.entries()) {
    if (CLAUSE_ENDS.has(text)) clause += 1;
    const denied = DENIALS.find(([pattern]) => pattern.test(text));
    if (denied) found.push({ stem: denied[1], at, clause, from: start, to: end });
    if (!NOT.has(text)) continue;
    if (isCondition(tokens, at - 1) || isCondition(tokens, at - 2)) {
      isConditional = true;
      continue;
    }
    if (at <= LIST_MARK && /[aei]r$/.test(tokenAt(tokens, at + 1).text)) continue;
    if (text === 'nao' && NAMED_BY_NOT.test(tokenAt(tokens, at + 1).text)) continue;
    let taken = 0;
    for (let behind = at + 1; behind < at + MAX_REACH && taken < MAX_DENIED; behind += 1) {
      const word = tokenAt(tokens, behind);
      if (word.type === 'sign' || word.text === '') break;
      if (word.type !== 'word' || !(isSpecific(word.text) || MEANT.has(word.text))) continue;
      found.push({ stem: stemOf(word.text), at: behind, clause, from: start, to: word.end });
      taken += 1;
    }
  }
  return { negations: found, isConditional };
}

function isCondition(tokens: readonly Token[], at: number): boolean {
  const { text } = tokenAt(tokens, at);
  // This is `um encontro, que não é obrigatório`.
  return CONDITIONS.has(text) && !(text === 'que' && tokenAt(tokens, at - 1).text === ',');
}

/** Verbs that are common words otherwise. */
const MEANT = new Set(['ha', 'tem', 'havera', 'tera']);
