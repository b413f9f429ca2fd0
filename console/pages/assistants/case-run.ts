import { useState } from 'preact/hooks';
import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { judgeAnswer, observedOf } from '../../../text/judge-answer.ts';
import { callHelper, createConversation, type Host } from '../../service.ts';
import { type Action, useAction } from '../../use-action.ts';
import { TRIAL_PLATFORM } from '../inbox/conversation.ts';
import { type Case, nameOf } from './case-words.ts';

/* These runs ask the assistant as it is saved, like a rehearsal. */

export interface Verdict {
  /** The checks that the answer fails; empty if it passed. */
  readonly failed: readonly string[];
  readonly answer: string;
  /** The passages that carry it; an earlier version kept none. */
  readonly sources?: readonly { readonly chunkId?: string; readonly title?: string }[];
  readonly at: string;
}

/** Keyed by the name of the case. A map, because every object has properties, and a case may have such a name. */
type Verdicts = ReadonlyMap<string, Verdict>;

export interface CaseRuns {
  readonly action: Action;
  readonly verdicts: Verdicts;
  /** Names of the cases that have no answer yet. */
  readonly waiting: readonly string[];
  /** Asks no more of them once it is over. */
  readonly run: (cases: readonly Case[], over?: AbortSignal) => void;
}

/** The service allows more, but other people ask as well. */
const AT_ONCE = 4;

/** Keeps the last verdicts in the session storage of this tab, like the questions of Testar. */
export function useCaseRuns(host: Host, subSlug: string, avatarId: string): CaseRuns {
  const [verdicts, setVerdicts] = useState(() => readVerdicts(avatarId));
  const [waiting, setWaiting] = useState<readonly string[]>([]);
  const action = useAction();
  const runOne = async (asked: Case) => {
    const verdict = await runCase(host, subSlug, asked);
    const next = new Map(readVerdicts(avatarId)).set(nameOf(asked), verdict);
    storeVerdicts(avatarId, next);
    setVerdicts(next);
    setWaiting(names => names.filter(name => name !== nameOf(asked)));
  };
  const runAll = async (cases: readonly Case[], over?: AbortSignal) => {
    setWaiting(cases.map(nameOf));
    const left = cases.values();
    const work = async () => {
      for (const asked of left) if (!over?.aborted) await runOne(asked);
    };
    try {
      await Promise.all(Array.from({ length: AT_ONCE }, work));
    } finally {
      setWaiting([]);
    }
  };
  return { action, verdicts, waiting, run: (cases, over) => action.run(() => runAll(cases, over)) };
}

/** Asks in a new conversation, which the service deletes after a day. */
async function runCase(
  host: Host,
  subSlug: string,
  { question, dialogue = [], now, expect }: Case,
): Promise<Verdict> {
  const conversationId = await createConversation(host, TRIAL_PLATFORM);
  const reasoningConfig = { rehearsal: true, ...(now === undefined ? {} : { now }) };
  const place = { hostId: host.host_id, conversationId, subSlug };
  const body = { ...place, question, originalDialogue: dialogue, reasoningConfig };
  const turn: DataOf<'reason'> = await callHelper('', body);
  return {
    failed: judgeAnswer(expect, observedOf(turn)),
    answer: turn.assistantResponse.string,
    sources: turn.sources.map(({ chunkId, title }) => ({
      ...(chunkId !== undefined && { chunkId }),
      ...(title !== undefined && { title }),
    })),
    at: new Date().toISOString(),
  };
}

const keyOf = (avatarId: string): string => `parley-verdicts:${avatarId}`;

function readVerdicts(avatarId: string): Verdicts {
  try {
    return new Map(Object.entries(JSON.parse(sessionStorage.getItem(keyOf(avatarId)) ?? '{}')));
  } catch {
    return new Map();
  }
}

function storeVerdicts(avatarId: string, verdicts: Verdicts): void {
  try {
    sessionStorage.setItem(keyOf(avatarId), JSON.stringify(Object.fromEntries(verdicts)));
  } catch {
    // The storage is full: a reload forgets the verdicts.
  }
}
