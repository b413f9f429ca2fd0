import { foldText } from './fold.ts';

/** Requirements for an answer; an absent field is not checked. */
export interface Expectation {
  readonly contains?: string | readonly string[] | undefined;
  readonly notContains?: string | readonly string[] | undefined;
  /** Ids of chunks. */
  readonly sources?: readonly string[] | undefined;
  readonly unsupported?: number | undefined;
  readonly askHumanHelp?: boolean | undefined;
  readonly agent?: string | undefined;
  readonly item?: string | undefined;
}

/** The result of a rehearsal. */
export interface ObservedAnswer {
  readonly text: string;
  readonly sources: readonly string[];
  readonly unsupported: number;
  readonly askHumanHelp: boolean;
  /** The agents that ran successfully. */
  readonly agents: readonly string[];
  readonly items: readonly string[];
}

export type Check = keyof Expectation | 'answer';

/** The checks that the answer fails, in a fixed order; undefined stands for a turn without an answer. */
export function judgeAnswer(expect: Expectation, observed: ObservedAnswer | undefined): Check[] {
  if (!observed) return ['answer'];
  const text = comparableOf(observed.text);
  const isIn = (part: string) => text.includes(comparableOf(part));
  const { sources = [], unsupported, askHumanHelp, agent, item } = expect;
  const passed: Readonly<Record<keyof Expectation, boolean>> = {
    contains: listOf(expect.contains).every(isIn),
    notContains: !listOf(expect.notContains).some(isIn),
    sources: sources.every(id => observed.sources.includes(id.toLowerCase())),
    unsupported: unsupported === undefined || observed.unsupported <= unsupported,
    askHumanHelp: askHumanHelp === undefined || observed.askHumanHelp === askHumanHelp,
    agent: agent === undefined || observed.agents.includes(agent),
    item: item === undefined || observed.items.includes(item),
  };
  return (Object.keys(passed) as (keyof Expectation)[]).filter(check => !passed[check]);
}

function listOf(texts: string | readonly string[] = []): readonly string[] {
  return typeof texts === 'string' ? [texts] : texts;
}

/** Ignores case, accents and the kind of spaces. */
function comparableOf(text: string): string {
  return foldText(text).replaceAll(/\s+/g, ' ');
}

/** The parts of an answered turn that are checked. */
interface AnsweredTurn {
  readonly assistantResponse: {
    readonly string: string;
    readonly wppParsed: readonly { readonly type: string }[];
  };
  readonly sources: readonly { readonly chunkId?: string }[];
  readonly unsupported: readonly unknown[];
  readonly askHumanHelp: boolean;
  readonly agentsLog: readonly { readonly agentName: string; readonly status: string }[];
}

/** The result of a turn that was asked like any other, in the form of a rehearsal's. */
export function observedOf(turn: AnsweredTurn): ObservedAnswer {
  return {
    text: turn.assistantResponse.string,
    sources: turn.sources.flatMap(({ chunkId }) => chunkId ?? []),
    unsupported: turn.unsupported.length,
    askHumanHelp: turn.askHumanHelp,
    agents: turn.agentsLog.filter(({ status }) => status === 'done').map(({ agentName }) => agentName),
    items: turn.assistantResponse.wppParsed.map(({ type }) => type),
  };
}
