import { foldText } from '../../../text/fold.ts';
import type { FlowStep } from '../flow-step.ts';
import type { AskTexts } from '../prompts/ask-texts.ts';
import { isBlank } from '../user-data.ts';
import { type AskStep, type Walk, walkOf } from './flow-walk.ts';
import { type Said, type SaidNow, saidOf } from './said.ts';
import { type Choice, withChoices } from './said-value.ts';

/*
 * The questions of a flow, in one conversation:
 *
 *   not reached ──▶ asked ──▶ answered: its value is in globalData, given there, in an answer, or by the caller
 *                   │   ▲
 *                   │   └── a wrong answer: asked again, at most `retries` times
 *                   ├────▶ given up, after one wrong answer more: the flow goes on without it
 *                   └────▶ stopped by the person: no question of the flow is asked again, and what this one holds stays out
 *
 * Each turn reads the message of the person first, and then goes through the steps anew: so a corrected answer may lead into
 * another branch. No model judges any of it; it is asked only for what is no answer, and for the steps between two questions.
 */

/** What the conversation remembers of a flow. */
export interface AskHistory {
  /** The question was answered or given up. */
  isDone(step: number): boolean;
  timesAsked(step: number): number;
  readonly isStopped: boolean;
}

export interface FlowAsks {
  readonly walk: Walk;
  /** Answers of this turn, for `globalData`. */
  readonly kept: Readonly<Record<string, string | number>>;
  /** The questions that this turn answered or gave up. */
  readonly done: readonly number[];
  /** The question at the end of the answer, and how often it is asked with it. */
  readonly asked: { readonly step: number; readonly times: number } | undefined;
  readonly isStopped: boolean;
  /** Said before everything else. */
  readonly opening: string;
  /** The question at the end of the answer, with its choices; empty if there is none. */
  readonly closing: string;
  readonly choices: readonly Choice[];
  /** False if what the flow says is the whole answer. Without a model something is to be quoted where it is true. */
  readonly needsModel: boolean;
}

export function flowAsksOf(
  steps: readonly FlowStep[],
  history: AskHistory,
  globalData: Readonly<Record<string, unknown>>,
  now: SaidNow,
  texts: AskTexts,
  hasModel = true,
): FlowAsks {
  const before = walkOf(steps, history.isDone, globalData);
  const times = before.open ? history.timesAsked(before.open.at) : 0;
  const answered = before.answered.filter(({ name }) => !isBlank(globalData[name])).toReversed();
  const said: Said = history.isStopped
    ? { kind: 'nothing' }
    : saidOf({ open: before.open, times, answered, data: globalData }, now);
  const isGivenUp = said.kind === 'invalid' && before.open !== undefined && times > before.open.retries;
  const change = changeOf(said, before.open, isGivenUp);
  const isDone = (at: number) => change.done.includes(at) || history.isDone(at);
  const walk = walkOf(steps, isDone, { ...globalData, ...change.kept });
  const isStopped = history.isStopped || said.kind === 'break';
  const open = isStopped ? undefined : walk.open;
  const earlier = open ? history.timesAsked(open.at) : 0;
  const isAgain = said.kind === 'invalid' && !isGivenUp;
  return {
    walk,
    ...change,
    isStopped,
    asked: open && { step: open.at, times: isAgain ? earlier + 1 : Math.max(earlier, 1) },
    opening: openingOf(said, isGivenUp, before.open, texts),
    closing: open ? withChoices(open.question, open.choices) : '',
    choices: open?.choices ?? [],
    needsModel: hasModel ? needsModel(said, steps, before, walk, isStopped) : isAsking(said),
  };
}

function changeOf(
  said: Said,
  open: AskStep | undefined,
  isGivenUp: boolean,
): Pick<FlowAsks, 'kept' | 'done'> {
  if (said.kind === 'value' || said.kind === 'correction')
    return { kept: { [said.ask.name]: said.value }, done: [said.ask.at] };
  return { kept: {}, done: isGivenUp && open ? [open.at] : [] };
}

function openingOf(said: Said, isGivenUp: boolean, open: AskStep | undefined, texts: AskTexts): string {
  if (said.kind === 'break') return texts.stopped;
  if (said.kind === 'correction') return texts.corrected;
  if (said.kind !== 'invalid' || !open) return '';
  return isGivenUp ? texts.givenUp : texts.wanted[open.kind];
}

/** The types of steps that only a model takes. */
export const stepsForModel: ReadonlySet<string> = new Set([
  'notification-conversation',
  'notification-trigger',
  'agent',
  'handoff',
  'end',
]);

/** A model is asked for what is no answer, and where the answer leads past steps that only a model takes. */
function needsModel(
  said: Said,
  steps: readonly FlowStep[],
  before: Walk,
  { open, reached }: Walk,
  isStopped: boolean,
): boolean {
  switch (said.kind) {
    case 'nothing':
    case 'aside':
    case 'break':
      return isAsking(said);
    case 'invalid':
    case 'value':
    case 'correction': {
      if (!open || isStopped || isAsking(said)) return true;
      const from = said.kind === 'correction' ? said.ask.at : (before.open?.at ?? 0);
      return reached.some(at => at > from && at < open.at && stepsForModel.has(steps[at]?.type ?? ''));
    }
  }
}

/** Whether the message is no answer to the flow, or asks something beside it. */
function isAsking(said: Said): boolean {
  return said.kind === 'nothing' || said.kind === 'aside' || ('isAside' in said && said.isAside);
}

/** Puts the question of the flow behind the text of the model, which may have asked it in the same words. */
export function addClosing(text: string, { closing }: Pick<FlowAsks, 'closing'>): string {
  const written = text.trimEnd();
  if (closing === '' || foldText(written).endsWith(foldText(closing))) return text;
  return [written, closing].filter(Boolean).join('\n\n');
}

/** The choice of an earlier message that the person took: by a button, or by the number or title that the message has. */
export function chosenIn(
  steps: readonly FlowStep[],
  lastAnswer: string | undefined,
  readOne: (choices: readonly Choice[]) => string | undefined,
): Choice | undefined {
  const offered = steps.filter(({ choices = [] }) => choices.length > 0);
  const shown = offered.findLast(({ content, choices }) =>
    lastAnswer?.includes(withChoices(content.trim(), choices)),
  );
  const { choices = [] } = shown ?? {};
  const id = readOne(choices);
  return choices.find(choice => choice.id === id);
}
