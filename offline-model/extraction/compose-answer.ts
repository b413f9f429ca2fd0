import { isContinuation } from './continuation.ts';
import type { Question } from './question.ts';
import type { RankedUnit } from './ranking.ts';
import type { Unit } from './units.ts';

const MAX_UNITS = 3;
/** Characters, as in one short chat message. */
const MAX_ANSWER_LENGTH = 600;
/** Characters: a longer introduction of a list is left out. */
const MAX_LEAD_LENGTH = 160;
/** Characters of the longest list marker and line break between two units. */
const SEPARATOR_LENGTH = 3;
/** The share of the best score from which on another unit is added. */
const MIN_RUNNER_UP_FRACTION = 0.75;
/** The same for a unit of another passage; higher, because the two would seem to concern the same thing. */
const MIN_OTHER_PASSAGE_FRACTION = 0.92;

// An exception restricts the sentence before it, so both are needed.
const exceptionWords =
  /(?<!\p{L})(?:só|somente|apenas|exceto|salvo|não (?:vale|valem|pode|podem|se acumulam?|aceita|aceitam))(?!\p{L})/iu;
/** The share of the best coverage from which on an exception concerns the same subject. */
const MIN_EXCEPTION_FRACTION = 0.5;

const isLeadIn = (unit: Unit) => /:[*_]*$/.test(unit.text);
const isListEntry = (unit: Unit) => unit.kind === 'item' || unit.kind === 'row';

/** Collects units up to the maximum answer length; they are written in the order of the text. */
class Selection {
  private readonly unitsByIndex = new Map<number, Unit>();
  private length = 0;

  /** false if the unit does not fit */
  add({ index, unit }: RankedUnit): boolean {
    if (this.unitsByIndex.has(index)) return true;
    if (this.length > 0 && this.length + unit.text.length > MAX_ANSWER_LENGTH) return false;
    this.unitsByIndex.set(index, unit);
    this.length += unit.text.length + SEPARATOR_LENGTH;
    return true;
  }

  has({ index }: RankedUnit): boolean {
    return this.unitsByIndex.has(index);
  }

  get size(): number {
    return this.unitsByIndex.size;
  }

  /** The passage of the first unit added comes first, each passage in its own order. */
  toString(): string {
    const firstPassage = this.unitsByIndex.values().next().value?.passage;
    const rankPassage = (unit: Unit) => Number(unit.passage !== firstPassage);
    const ordered = [...this.unitsByIndex].toSorted(
      ([left, one], [right, two]) => rankPassage(one) - rankPassage(two) || left - right,
    );
    const units = ordered.map(([, unit]) => unit);
    return clipText(
      units
        .map((unit, index) => chooseSeparator(units[index - 1], unit) + formatUnit(unit, units.length))
        .join(''),
    );
  }
}

function formatUnit({ kind, marker, text }: Unit, count: number): string {
  if (kind === 'item') return `${/\d/.test(marker) ? marker : '-'} ${text}`;
  return kind === 'row' && count > 1 ? `- ${text}` : text;
}

/** Separator between two units: a space within a paragraph, a line break within a list, otherwise a blank line. */
function chooseSeparator(previous: Unit | undefined, next: Unit): string {
  if (!previous) return '';
  const isSameGroup = previous.passage === next.passage && previous.group === next.group;
  if (isListEntry(next) && (isSameGroup || next.lead === previous)) return '\n';
  return isSameGroup ? ' ' : '\n\n';
}

function clipText(text: string): string {
  if (text.length <= MAX_ANSWER_LENGTH) return text;
  return `${text.slice(0, text.lastIndexOf(' ', MAX_ANSWER_LENGTH - 2)).trimEnd()}…`;
}

/** The list that the unit introduces or belongs to. */
function findSurroundingList(best: RankedUnit, ranked: readonly RankedUnit[]): RankedUnit[] {
  const first = isListEntry(best.unit) ? best : ranked[best.index + 1];
  if (!first || !isListEntry(first.unit) || first.unit.passage !== best.unit.passage) return [];
  return ranked.filter(({ unit }) => unit.group === first.unit.group && unit.passage === first.unit.passage);
}

function addLead(selection: Selection, best: RankedUnit, ranked: readonly RankedUnit[]): void {
  const { lead } = best.unit;
  if (best.unit.kind !== 'item' || !lead || lead.text.length > MAX_LEAD_LENGTH) return;
  const leadEntry = ranked.find(({ unit }) => unit === lead);
  if (leadEntry) selection.add(leadEntry);
}

function addNeighbours(
  selection: Selection,
  best: RankedUnit,
  question: Question,
  ranked: readonly RankedUnit[],
): void {
  const previous = ranked[best.index - 1];
  if (previous && previous.unit.group === best.unit.group && isContinuation(best.unit))
    selection.add(previous);
  const next = ranked[best.index + 1];
  const isContinued =
    next?.isOnSubject && next.unit.passage === best.unit.passage && next.unit.kind !== 'heading';
  const hasNextStep = question.kinds.includes('procedure') && next?.unit.group === best.unit.group;
  if (isContinued && (best.unit.kind === 'heading' || isLeadIn(best.unit) || hasNextStep))
    selection.add(next);
}

function addException(
  selection: Selection,
  best: RankedUnit,
  question: Question,
  ranked: readonly RankedUnit[],
): void {
  if (!question.asksPermission) return;
  const exception = ranked.find(
    ({ unit, coverage, isOnSubject }) =>
      isOnSubject &&
      unit.kind !== 'heading' &&
      unit.passage === best.unit.passage &&
      coverage >= best.coverage * MIN_EXCEPTION_FRACTION &&
      exceptionWords.test(unit.text),
  );
  if (exception) selection.add(exception);
}

function addRunnersUp(selection: Selection, best: RankedUnit, ranked: readonly RankedUnit[]): void {
  const others = ranked.filter(({ unit, score, isOnSubject }) => {
    const fraction = unit.passage === best.unit.passage ? MIN_RUNNER_UP_FRACTION : MIN_OTHER_PASSAGE_FRACTION;
    return isOnSubject && unit.kind !== 'heading' && score >= best.score * fraction;
  });
  for (const other of others.toSorted((left, right) => right.score - left.score)) {
    if (selection.size >= MAX_UNITS) return;
    selection.add(other);
  }
}

/** `ranked` is in the order of the text and contains `best`. */
export function composeAnswer(best: RankedUnit, question: Question, ranked: readonly RankedUnit[]): string {
  const selection = new Selection();
  selection.add(best);
  const list = findSurroundingList(best, ranked);
  const isWholeList =
    list.length > 0 && (question.asksList || isLeadIn(best.unit) || best.unit.kind === 'heading');
  addLead(selection, best, ranked);
  if (isWholeList) {
    for (const entry of list) if (!selection.add(entry)) break;
    return selection.toString();
  }
  addNeighbours(selection, best, question, ranked);
  addException(selection, best, question, ranked);
  addRunnersUp(selection, best, ranked);
  return selection.toString();
}
