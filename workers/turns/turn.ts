import type { Avatar } from '../../db/avatars.ts';
import type { Conversation } from '../../db/conversations.ts';
import type { BodyOf } from '../../queues/contract/operations/index.ts';
import type { DialogueItem } from '../domain/prompts/prompt.ts';
import type { WppItem } from '../domain/wpp-parsed/wpp-parsed.ts';
import type { ModelCall } from '../model/model.ts';
import type { FoundChunk } from '../retrieval/search-chunks.ts';
import type { OutsideCall } from '../tools/tool.ts';
import type { ToolRun } from './call-tool.ts';
import type { Effects } from './effects.ts';
import type { FlowState } from './flow-state.ts';
import type { Readiness } from './flow-tools.ts';
import type { TurnData } from './turn-data.ts';

/** The complete state of an answered turn; receipt, response and stored rows derive from it. */
export interface Turn {
  readonly jobId: string;
  readonly hostId: string;
  readonly attempt: number;
  readonly body: BodyOf<'reason'>;
  readonly question: string | undefined;
  readonly conversation: Conversation;
  readonly avatar: Avatar;
  readonly data: TurnData;
  readonly dialogue: readonly DialogueItem[];
  /** Set when the caller requested the dialogue: the items before this turn. */
  readonly returnedDialogue: ReturnedDialogue | undefined;
  readonly retrievalQuery: string;
  /** Filter keys without a value in the turn's data: chunks with these filters were not read. */
  readonly missingFilterKeys: readonly string[];
  readonly chunks: readonly FoundChunk[];
  readonly flowState: FlowState | undefined;
  readonly calls: readonly ModelCall[];
  readonly toolRuns: readonly ToolRun[];
  readonly outsideCalls: readonly OutsideCall[];
  readonly effects: Effects;
  /** The state of the agents that run as soon as their arguments are known, before the model was asked. */
  readonly readiness: readonly Readiness[];
  /** Keys of the data for which the prompt had no room. */
  readonly factsLeftOut: readonly string[];
  /** A staff member attends: the answer is empty and no effect is applied. */
  readonly isSilenced: boolean;
  readonly model: string;
  readonly answer: string;
  readonly items: readonly WppItem[];
  readonly warnings: readonly string[];
  readonly startedAt: Date;
  readonly durationMs: number;
}

export interface ReturnedDialogue {
  readonly items: readonly DialogueItem[];
  /** Older items were left out. */
  readonly isTruncated: boolean;
  /** The question of this turn, where the caller's own dialogue ends with it. */
  readonly lastQuestion?: DialogueItem;
}

/** One entry for each model that the turn used. */
export function tokensOf(calls: readonly ModelCall[]): { model: string; tokens: number }[] {
  const used = new Map<string, number>();
  for (const { name, status, tokens } of calls) {
    if (status === 200) used.set(name, (used.get(name) ?? 0) + tokens);
  }
  return [...used].map(([model, tokens]) => ({ model, tokens }));
}
