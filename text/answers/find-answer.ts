import { distance } from 'fastest-levenshtein';
import { askedKindOf } from '../asked-kind.ts';
import { numberWords } from '../number-words.ts';
import { MAX_QUOTED } from '../sentences.ts';
import { stemOf } from '../words.ts';
import { isNumber, type Question, readQuestion } from './question.ts';
import { saidPartsOf } from './said-parts.ts';
import { type Heading, type Statement, statementsOf } from './statements.ts';

/** A word of the question, and how the knowledge may say it. */
interface Concept {
  readonly stem: string;
  /** A stem of the knowledge that it probably misspells. */
  readonly near: string | undefined;
  readonly synonyms: ReadonlySet<string>;
  readonly isGeneral: boolean;
  /** Higher for a word that fewer statements have. */
  readonly weight: number;
  /** Whether the knowledge has the word itself. */
  readonly isKnown: boolean;
}

export interface Passage {
  readonly text: string;
  /** Its score in retrieval, as a part of what a passage with every word of the question would have. */
  readonly relevance?: number;
}

interface Scored {
  readonly statement: Statement;
  readonly at: number;
  /** How much of the question's weight the statement has, including its headings. */
  readonly coverage: number;
  readonly score: number;
  /** Whether it is about what the question asks. */
  readonly isFit: boolean;
}

const MAX_QUESTIONS = 3;
const MAX_STATEMENTS = 3;
/** In characters of the passages, of which retrieval limits only the number: they are read in one piece, in 40 ms. */
const MAX_READ = 200_000;

/* Measured with the lists of questions in test/offline-model, and with FaQuAD. */
/** A statement with a lower score is no answer. */
const MIN_SCORE = 0.76;
/** For a statement that answers an open question, and does not name all of its things. */
const UNNAMED = 0.1;
/** What the relevance of a passage brings its statements, and what that of the best other passage takes from them. */
const [OF_PASSAGE, OF_OTHER_PASSAGE] = [0.3, 0.25];
/** The same where only the order of the passages is known: for the first, and less for each next one. */
const [OF_FIRST_PASSAGE, OF_PLACE] = [0.27, 0.01];
/** How much a word counts if it is in a heading above the statement. */
const OF_TOPIC = 0.85;
const OF_MISSPELLING = 0.8;
const OF_SYNONYM = 0.7;
/** The weight of a vague word: `custa` is answered by an amount. */
const OF_GENERAL = 0.15;
const OF_UNKNOWN = 0.6;
const [WITH_KIND, WITH_TOPIC, WITH_SUBJECT] = [0.25, 0.2, 0.1];
/** Statements whose score is lower than the best one by no more are as good. */
const [AS_GOOD, AS_GOOD_IN_LIST] = [0.05, 0.12];
/** A heading equals the question if each has this part of the other. */
const SAME = 0.8;

const DURATION =
  /\d ?(?:h|horas?|dias?|m[eê]s(?:es)?|anos?|semestres?|minutos?|semanas?)(?!\p{L})|(?:na hora|imediat)/u;
const RESTRICTION = /(?<!\p{L})(?:só|somente|apenas|exceto|salvo|não)(?!\p{L})/iu;

/** Finds the statements of the passages that answer the message; each question in it is answered separately. */
export function findAnswer(
  message: string,
  passages: readonly Passage[],
  earlier: readonly string[],
): string | undefined {
  const said = [...earlier, message].flatMap(saidPartsOf);
  const [asked = '', before] = [said.at(-1), said.slice(0, -1)];
  let left = MAX_READ;
  const texts = passages.map(({ text }) => {
    const read = text.length <= left ? text : text.slice(0, text.lastIndexOf('.', left) + 1);
    left = Math.max(0, left - read.length);
    return read;
  });
  const statements = statementsOf(texts);
  const standings = passages.map((_, at) => standingOf(at, passages));
  const marked = asked
    .split('?')
    .slice(0, -1)
    .filter(each => each.trim())
    .slice(-MAX_QUESTIONS);
  const questions = marked.length > 1 ? marked : [asked];
  const answers = questions.flatMap((question, at) =>
    answersTo(readQuestion(question, [...before, ...questions.slice(0, at)]), statements, standings),
  );
  const text = [...new Set(answers)].join('\n\n');
  return text === '' ? undefined : clip(text, MAX_QUOTED * questions.length);
}

function standingOf(at: number, passages: readonly Passage[]): number {
  const relevance = passages[at]?.relevance;
  if (relevance === undefined) return OF_FIRST_PASSAGE - OF_PLACE * at;
  const others = passages.map((other, place) => (place === at ? 0 : (other.relevance ?? 0)));
  return OF_PASSAGE * relevance - OF_OTHER_PASSAGE * Math.max(...others);
}

function answersTo(
  question: Question,
  statements: readonly Statement[],
  standings: readonly number[],
): string[] {
  const concepts = conceptsOf(question, statements);
  const total = sumOf(concepts, () => 1);
  if (total === 0) return [];
  const [titled] = statements.filter(({ heading }) => heading && isSame(heading, concepts, question));
  if (titled) {
    const under = statements.filter(({ heading }) => heading === titled.heading);
    return [under.map(({ text }) => text).join(' ')];
  }
  const scored = statements.map((statement, at): Scored => {
    const coverage = sumOf(concepts, concept => strengthOf(concept, statement)) / total;
    const isNamed = namesAll(statement, concepts, question);
    const standing = (standings[statement.passage] ?? 0) - (isNamed ? 0 : UNNAMED);
    const score = standing + scoreOf(statement, coverage, concepts, question, total);
    const isFit = score >= MIN_SCORE && (isNamed || question.isOpen);
    return { statement, at, coverage, score, isFit };
  });
  const fit = scored.filter(({ isFit }) => isFit).toSorted((a, b) => b.score - a.score);
  const [best] = fit;
  if (!best) return [];
  const least = best.score - (question.asksList ? AS_GOOD_IN_LIST : AS_GOOD);
  const chosen = firstOf(fit.filter(({ score }) => score >= least));
  if (question.asksPermission) chosen.push(...restrictionsOf(best, scored));
  const texts = chosen.toSorted((a, b) => a.at - b.at).map(({ statement }) => statement.text);
  return texts.filter(text => !texts.some(other => other !== text && other.includes(text)));
}

/** The first statements, as many as are short together. */
function firstOf(fit: readonly Scored[]): Scored[] {
  let length = 0;
  const isLong = ({ statement }: Scored) => (length += statement.text.length) > MAX_QUOTED;
  const end = fit.slice(0, MAX_STATEMENTS).findIndex(isLong);
  return fit.slice(0, end < 0 ? MAX_STATEMENTS : Math.max(1, end));
}

function conceptsOf({ words }: Question, statements: readonly Statement[]): Concept[] {
  const counts = new Map<string, number>();
  for (const { stems, topic } of statements)
    for (const stem of new Set([...stems, ...topic])) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  return words
    .filter(({ word, synonymOf }) => synonymOf === undefined && (word.length > 1 || isNumber(word)))
    .map(({ word, weight }) => {
      const stem = stemOf(word);
      const synonyms = new Set(words.flatMap(each => (each.synonymOf === word ? stemOf(each.word) : [])));
      const known = [stem, ...synonyms].filter(each => counts.has(each));
      const near = known.length > 0 ? undefined : [...counts.keys()].find(each => isMisspelling(stem, each));
      const count = Math.max(0, ...[...known, near ?? ''].map(each => counts.get(each) ?? 0));
      const rarity = Math.log(1 + (statements.length + 1) / (count + 0.5)) * (count === 0 ? OF_UNKNOWN : 1);
      const isGeneral = weight <= 0.4 || numberWords.has(word) || askedKindOf(word) !== undefined;
      return {
        stem,
        near,
        synonyms,
        isGeneral,
        weight: rarity * (isGeneral ? OF_GENERAL : weight),
        isKnown: counts.has(stem),
      };
    });
}

function isMisspelling(stem: string, known: string): boolean {
  if (stem.length < 5 || /\d/.test(stem) || stem[0] !== known[0] || Math.abs(stem.length - known.length) > 2)
    return false;
  return distance(stem, known) <= (stem.length < 8 ? 1 : 2);
}

/** Whether the heading is the question, so that the text under it is the answer. */
function isSame({ text, stems }: Heading, concepts: readonly Concept[], { kind }: Question): boolean {
  if (askedKindOf(text) !== kind) return false;
  const shared = concepts.filter(({ stem }) => stems.has(stem));
  return shared.length >= SAME * stems.size && sumOf(shared, () => 1) >= SAME * sumOf(concepts, () => 1);
}

function strengthOf({ stem, near, synonyms }: Concept, { stems, topic }: Statement): number {
  const strengthIn = (text: ReadonlySet<string>) => {
    if (text.has(stem)) return 1;
    if (near !== undefined && text.has(near)) return OF_MISSPELLING;
    return [...synonyms].some(each => text.has(each)) ? OF_SYNONYM : 0;
  };
  return Math.max(strengthIn(stems), OF_TOPIC * strengthIn(topic));
}

function scoreOf(
  statement: Statement,
  coverage: number,
  concepts: readonly Concept[],
  question: Question,
  total: number,
): number {
  const { stems, topic } = statement;
  const [subject] = stems;
  const isSubject = concepts.some(({ stem, isGeneral }) => !isGeneral && stem === subject);
  return (
    coverage +
    (WITH_TOPIC * sumOf(concepts, ({ stem }) => Number(topic.has(stem)))) / total +
    (hasKind(statement, question) ? WITH_KIND : 0) +
    (isSubject ? WITH_SUBJECT : 0)
  );
}

function hasKind({ kinds, words, text }: Statement, { kind }: Question): boolean {
  if (kind === undefined) return false;
  if (kind === 'duration') return DURATION.test(text);
  return kinds.includes(kind) || (kind === 'number' && words.some(isNumber));
}

/** Whether it is about the things that the question names, and has the figure that the question asks for. */
function namesAll(statement: Statement, concepts: readonly Concept[], question: Question): boolean {
  const { nouns, modifiers, counted, asksFigure, kind } = question;
  // A similar thing has another price.
  const isExact = kind === 'money';
  const names = ({ stem, near, synonyms }: Concept) =>
    [stem, near ?? stem, ...(isExact && nouns.has(stem) ? [] : synonyms)].some(
      each => statement.stems.has(each) || statement.topic.has(each),
    );
  const mustName = ({ stem, isGeneral, isKnown }: Concept) =>
    (!isGeneral && (nouns.has(stem) || (isKnown && modifiers.has(stem)))) || /\d{3}/.test(stem);
  if (asksFigure && !hasKind(statement, question)) return false;
  const countedConcept = concepts.find(({ stem }) => stem === counted);
  return (
    concepts.every(concept => !mustName(concept) || names(concept)) &&
    (!countedConcept || isCounted(statement, countedConcept))
  );
}

/** Whether the thing is counted, as in "5 livros" or "Horas por semana: 12". */
function isCounted({ words }: Statement, { stem, near, synonyms }: Concept): boolean {
  return words.some((word, at) => {
    const found = stemOf(word);
    const isCountedWord = found === stem || found === near || synonyms.has(found);
    return isCountedWord && words.slice(Math.max(0, at - 3), at + 5).some(isNumber);
  });
}

/** Finds the first statement of the same passage that restricts what is allowed. */
function restrictionsOf(best: Scored, scored: readonly Scored[]): Scored[] {
  const found = scored.find(
    ({ statement, coverage }) =>
      statement.passage === best.statement.passage &&
      coverage >= best.coverage / 2 &&
      RESTRICTION.test(statement.text),
  );
  return found ? [found] : [];
}

function clip(text: string, most: number): string {
  if (text.length <= most) return text;
  const blank = text.lastIndexOf(' ', most - 1);
  return `${text.slice(0, blank > 0 ? blank : most - 1).trimEnd()}…`;
}

function sumOf(concepts: readonly Concept[], shareOf: (concept: Concept) => number): number {
  return concepts.reduce((sum, concept) => sum + concept.weight * shareOf(concept), 0);
}
