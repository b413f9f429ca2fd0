import { isContinuation } from './continuation.ts';
import type { Question } from './question.ts';
import type { RankedUnit } from './ranking.ts';
import type { Unit } from './units.ts';

const MAX_UNITS = 3;
const MAX_ANSWER_LENGTH = 600;
const MAX_LEAD_LENGTH = 160;
const nearEnough = 0.75;
// Adjacent sentences of two passages seem to concern the same thing, so the second must score nearly as well.
const nearEnoughElsewhere = 0.92;

// An exception restricts the sentence before it, so both are needed.
const excepting =
  /(?<!\p{L})(?:só|somente|apenas|exceto|salvo|não (?:vale|valem|pode|podem|se acumulam?|aceita|aceitam))(?!\p{L})/iu;
const MIN_EXCEPTION_SHARE = 0.5;

const endsAsLead = (unit: Unit) => /:[*_]*$/.test(unit.text);
const isListed = (unit: Unit) => unit.kind === 'item' || unit.kind === 'row';

/** Collects units up to the maximum answer length; they are written in the order of the text. */
class Selection {
  private readonly chosen = new Map<number, Unit>();
  private length = 0;

  /** false if the unit does not fit */
  add({ at, unit }: RankedUnit): boolean {
    if (this.chosen.has(at)) return true;
    if (this.length > 0 && this.length + unit.text.length > MAX_ANSWER_LENGTH) return false;
    this.chosen.set(at, unit);
    this.length += unit.text.length + 3;
    return true;
  }

  has({ at }: RankedUnit): boolean {
    return this.chosen.has(at);
  }

  get size(): number {
    return this.chosen.size;
  }

  /** The passage of the first unit added comes first, each passage in its own order. */
  toString(): string {
    const home = this.chosen.values().next().value?.passage;
    const isAway = (unit: Unit) => Number(unit.passage !== home);
    const ordered = [...this.chosen].toSorted(
      ([left, one], [right, two]) => isAway(one) - isAway(two) || left - right,
    );
    const units = ordered.map(([, unit]) => unit);
    return clipText(
      units.map((unit, at) => joint(units[at - 1], unit) + lineOf(unit, units.length)).join(''),
    );
  }
}

function lineOf({ kind, marker, text }: Unit, count: number): string {
  if (kind === 'item') return `${/\d/.test(marker) ? marker : '-'} ${text}`;
  return kind === 'row' && count > 1 ? `- ${text}` : text;
}

/** Separator between two units: a space within a paragraph, a line break within a list, otherwise a blank line. */
function joint(last: Unit | undefined, next: Unit): string {
  if (!last) return '';
  const isTogether = last.passage === next.passage && last.group === next.group;
  if (isListed(next) && (isTogether || next.lead === last)) return '\n';
  return isTogether ? ' ' : '\n\n';
}

function clipText(text: string): string {
  if (text.length <= MAX_ANSWER_LENGTH) return text;
  return `${text.slice(0, text.lastIndexOf(' ', MAX_ANSWER_LENGTH - 2)).trimEnd()}…`;
}

/** The list that the unit introduces, heads or belongs to. */
function listAround(best: RankedUnit, ranked: readonly RankedUnit[]): RankedUnit[] {
  const first = isListed(best.unit) ? best : ranked[best.at + 1];
  if (!first || !isListed(first.unit) || first.unit.passage !== best.unit.passage) return [];
  return ranked.filter(({ unit }) => unit.group === first.unit.group && unit.passage === first.unit.passage);
}

function addLead(selection: Selection, best: RankedUnit, ranked: readonly RankedUnit[]): void {
  const { lead } = best.unit;
  if (best.unit.kind !== 'item' || !lead || lead.text.length > MAX_LEAD_LENGTH) return;
  const owner = ranked.find(({ unit }) => unit === lead);
  if (owner) selection.add(owner);
}

function addNeighbours(
  selection: Selection,
  best: RankedUnit,
  question: Question,
  ranked: readonly RankedUnit[],
): void {
  const before = ranked[best.at - 1];
  if (before && before.unit.group === best.unit.group && isContinuation(best.unit)) selection.add(before);
  const after = ranked[best.at + 1];
  const continues =
    after?.isOnSubject && after.unit.passage === best.unit.passage && after.unit.kind !== 'heading';
  const isSteps = question.kinds.includes('procedure') && after?.unit.group === best.unit.group;
  if (continues && (best.unit.kind === 'heading' || endsAsLead(best.unit) || isSteps)) selection.add(after);
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
      coverage >= best.coverage * MIN_EXCEPTION_SHARE &&
      excepting.test(unit.text),
  );
  if (exception) selection.add(exception);
}

function addRunnersUp(selection: Selection, best: RankedUnit, ranked: readonly RankedUnit[]): void {
  const others = ranked.filter(({ unit, score, isOnSubject }) => {
    const share = unit.passage === best.unit.passage ? nearEnough : nearEnoughElsewhere;
    return isOnSubject && unit.kind !== 'heading' && score >= best.score * share;
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
  const list = listAround(best, ranked);
  const isWholeList =
    list.length > 0 && (question.wantsList || endsAsLead(best.unit) || best.unit.kind === 'heading');
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
