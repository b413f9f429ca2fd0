import { addClosing } from '../domain/asks/flow-asks.ts';
import { languageTextsOf } from '../domain/prompts/language-texts.ts';
import type { Effects, FlowState, ReadTurn } from './turn.ts';

/** What the flow says stands around the text of the model: its messages before it, its question behind it. */
export function frameAnswer(turn: ReadTurn, text: string): string {
  const { asks } = turn.flowState ?? {};
  return startOf(turn) + (asks ? addClosing(text, asks) : text);
}

/** An answer that asks for a yes asks nothing else: one word of the person would answer both. */
export function flowBeside(
  { asks: calls }: Effects,
  flowState: FlowState | undefined,
): FlowState | undefined {
  if (!flowState?.asks || calls.length === 0) return flowState;
  return { ...flowState, asks: { ...flowState.asks, asked: undefined, closing: '', choices: [] } };
}

/** The fixed messages of the flow stand before the text of the model. */
export function startOf({ flowState }: ReadTurn): string {
  return (flowState?.plan.messages ?? []).map(message => `${message}\n\n`).join('');
}

/** Returns the notes of the caller, and which choice the person took, as they stand before the question. */
export function notesOf({ job, avatar, flowState }: ReadTurn): string | undefined {
  const { dialogueInsertString } = job.body;
  const { chosen } = flowState ?? {};
  if (!chosen) return dialogueInsertString;
  const note = languageTextsOf(avatar.language).chose(chosen.title, chosen.id);
  return [dialogueInsertString, note].filter(Boolean).join('\n\n');
}
