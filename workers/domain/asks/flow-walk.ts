import { foldText } from '../../../text/fold.ts';
import type { FlowStep } from '../flow-step.ts';
import { isBlank } from '../user-data.ts';
import type { AskKind } from './read-value.ts';
import type { Choice } from './said-value.ts';

/** A question of the flow whose answer is kept in `globalData`. */
export interface AskStep {
  readonly at: number;
  readonly question: string;
  readonly name: string;
  readonly kind: AskKind;
  readonly choices: readonly Choice[];
  readonly retries: number;
}

const DEFAULT_RETRIES = 2;

/** Undefined for a step of another type, and for one that was stored before its fields were. */
function askStepOf(step: FlowStep | undefined, at: number): AskStep | undefined {
  if (step?.type !== 'ask' || step.name === undefined || step.kind === undefined) return undefined;
  const { name, kind, choices = [], retries = DEFAULT_RETRIES } = step;
  return { at, question: step.content.trim(), name, kind, choices, retries };
}

export interface Walk {
  /** The question that holds the steps after it. */
  readonly open: AskStep | undefined;
  /** The steps that were come by, the open question included. */
  readonly reached: readonly number[];
  /** The questions that have their answers or were given up, in order. */
  readonly answered: readonly AskStep[];
}

/** Goes through the steps in order: a branch may pass over some, and a question without an answer holds the rest. */
export function walkOf(
  steps: readonly FlowStep[],
  isGivenUp: (at: number) => boolean,
  data: Readonly<Record<string, unknown>>,
): Walk {
  const reached: number[] = [];
  const answered: AskStep[] = [];
  for (let at = 0; at < steps.length; at += 1) {
    reached.push(at);
    const ask = askStepOf(steps[at], at);
    if (ask && isBlank(data[ask.name]) && !isGivenUp(at)) return { open: ask, reached, answered };
    if (ask) answered.push(ask);
    const target = branchOf(steps, at, data);
    if (target !== undefined) at = target - 1;
  }
  return { open: undefined, reached, answered };
}

/** Returns the index to which the step leads; undefined if its condition is not met, or leads nowhere behind it. */
function branchOf(
  steps: readonly FlowStep[],
  at: number,
  data: Readonly<Record<string, unknown>>,
): number | undefined {
  const { type, name = '', values = [], goTo } = steps[at] ?? { type: '' };
  if (type !== 'when') return undefined;
  const asked = steps.find(step => step.type === 'ask' && step.name === name);
  const said = [data[name]].flat().map(termOf);
  const titles = (asked?.choices ?? []).filter(({ id }) => said.includes(termOf(id))).map(each => each.title);
  const known = new Set([...said, ...titles.map(termOf)]);
  return values.some(value => known.has(termOf(value))) ? branchTargetOf(steps, at, goTo) : undefined;
}

function termOf(value: unknown): string {
  const text = typeof value === 'number' || typeof value === 'boolean' ? `${value}` : value;
  return typeof text === 'string' && !isBlank(text) ? foldText(text).trim() : '\0';
}

/** Returns the index that a branch names, by number or by the name of a later question. */
export function branchTargetOf(
  steps: readonly FlowStep[],
  at: number,
  goTo: number | string | undefined,
): number | undefined {
  if (typeof goTo === 'number') return goTo > at && goTo < steps.length ? goTo : undefined;
  const found = steps.findIndex(({ type, name }, index) => index > at && type !== 'when' && name === goTo);
  return goTo === undefined || found < 0 ? undefined : found;
}
