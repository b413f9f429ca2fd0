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
import type { Readiness } from './readiness.ts';
import type { Steering } from './steering.ts';
import type { TurnData } from './turn-data.ts';

/** All that is known of a turn when it is answered; everything that leaves it is derived from this. */
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
  /** Where the caller wants the dialogue back: what was said before this turn. */
  readonly returned: ReturnedDialogue | undefined;
  readonly retrievalQuery: string;
  /** Keys of filters that the turn has no value for: what declares them was not read. */
  readonly ungivenKeys: readonly string[];
  readonly chunks: readonly FoundChunk[];
  readonly steering: Steering | undefined;
  readonly calls: readonly ModelCall[];
  readonly toolRuns: readonly ToolRun[];
  readonly outsideCalls: readonly OutsideCall[];
  readonly effects: Effects;
  /** How far the agents were, before the model was asked, that run as soon as their arguments are known. */
  readonly readiness: readonly Readiness[];
  /** Keys of the data for which the prompt had no room. */
  readonly factsLeftOut: readonly string[];
  /** A person of the host attends: nothing is said, and nothing that was called for happens. */
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
  readonly askedLast?: DialogueItem;
}

/** One entry for each model that the turn used. */
export function tokensOf(calls: readonly ModelCall[]): { model: string; tokens: number }[] {
  const used = new Map<string, number>();
  for (const { name, status, tokens } of calls) {
    if (status === 200) used.set(name, (used.get(name) ?? 0) + tokens);
  }
  return [...used].map(([model, tokens]) => ({ model, tokens }));
}
