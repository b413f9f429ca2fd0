import { createHash } from 'node:crypto';
import type { AgentWithSchema } from '../../db/assistants/agents.ts';
import type { Avatar } from '../../db/assistants/avatars.ts';
import type { FlowStep } from '../../db/assistants/flows.ts';
import type { Team, TurnFlow, TurnSettings } from '../../db/assistants/turn-settings.ts';
import { markStepsDone } from '../../db/conversations/turns.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { type FieldError, fieldError } from '../../platform/field-error.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import { type Stopwatch, startStopwatch } from '../../platform/stopwatch.ts';
import { NIL_UUID } from '../../platform/uuid.ts';
import { type AskHistory, chosenIn, type FlowAsks, flowAsksOf } from '../domain/asks/flow-asks.ts';
import { readChoice } from '../domain/asks/read-choice.ts';
import type { SaidNow } from '../domain/asks/said.ts';
import type { Choice } from '../domain/asks/said-value.ts';
import {
  findTeam,
  flowPlanOf,
  isOnce,
  type OfferedAgent,
  type OfferedEnding,
  runsAgents,
  type StepHistory,
  stepIdentitiesOf,
} from '../domain/flow-steps.ts';
import { askTextsOf } from '../domain/prompts/ask-texts.ts';
import { toolNameOf } from '../domain/prompts/offered-tool.ts';
import {
  AGENT_DONE,
  ALREADY_DONE,
  CONVERSATION_CLOSES,
  describeAgent,
  describeEnding,
  formatRejectedArguments,
  NO_MORE_CALLS,
  TEAM_CALLED,
} from '../domain/prompts/tool-texts.ts';
import { argumentNamesIn, type KnownData, knownArgumentsOf } from '../domain/schemas/known-arguments.ts';
import { isBlank } from '../domain/user-data.ts';
import { checkArguments } from './check-arguments.ts';
import { teamChoiceOf } from './team-choice.ts';
import type { TurnTool, TurnToolResult } from './tools.ts';
import type { AgentRun, AnsweredTurn, FlowState, ReadTurn, WaitingAgent } from './turn.ts';

/** Stands in for the saved fields of a flow that was never saved. */
const UNSAVED = { id: NIL_UUID, name: '', model: '' };

/** What the person says to the questions of a flow, and what the conversation knows. */
export interface FlowTalk extends SaidNow {
  readonly globalData: JsonObject;
  readonly lastAnswer: string | undefined;
}

/** Returns the active flow, or a rehearsal's steps in place of the saved ones; undefined where there is neither. */
export function flowStateOf(
  { flow: saved, agents, stepsDone, avatar }: TurnSettings,
  unsavedSteps: readonly FlowStep[] | undefined,
  talk: FlowTalk,
): FlowState | undefined {
  const flow = unsavedSteps ? { ...(saved ?? UNSAVED), version: 0, steps: unsavedSteps } : saved;
  if (!flow) return undefined;
  const done = new Set(stepsDone);
  const asks = asksOf(flow, done, talk, avatar);
  const read = flowPlanOf(flow.steps, historyOf(flow, done), asks?.walk, hasModel(avatar));
  const plan = asks?.opening ? { ...read, messages: [asks.opening, ...read.messages] } : read;
  const planned = new Set(plan.agents.map(({ agentName }) => agentName));
  return {
    flow,
    plan,
    agents: agents.filter(({ name }) => planned.has(name)),
    asks,
    chosen: asks && !asks.needsModel ? undefined : chosenOf(flow, talk),
  };
}

/** Stored in place of the key of a step once the person wants no more questions of the flow. */
const STOPPED = 'asks stopped';
const MAX_TIMES = 7;

function asksOf(
  { steps }: TurnFlow,
  done: ReadonlySet<string>,
  talk: FlowTalk,
  avatar: Avatar,
): FlowAsks | undefined {
  if (!steps.some(({ type }) => type === 'ask' || type === 'when')) return undefined;
  const keys = stepKeysOf(steps);
  const history: AskHistory = {
    isDone: at => done.has(keys[at]?.own ?? ''),
    timesAsked: at =>
      Array.from({ length: MAX_TIMES }, (_, each) => each + 1).findLast(times =>
        done.has(keys[at]?.ofAsking(times) ?? ''),
      ) ?? 0,
    isStopped: done.has(STOPPED),
  };
  return flowAsksOf(steps, history, talk.globalData, talk, askTextsOf(avatar.language), hasModel(avatar));
}

const hasModel = ({ answer_mode }: Avatar) => answer_mode === 'model';

function chosenOf(
  { steps }: TurnFlow,
  { messages: [message = ''], choice, lastAnswer, isAboutElse }: FlowTalk,
): Choice | undefined {
  return chosenIn(
    steps.filter(({ type }) => type === 'message'),
    lastAnswer,
    choices => choice ?? (isAboutElse ? undefined : readChoice(message, choices)?.value.toString()),
  );
}

export function listDoneSteps({ flowState, effects, isSilenced, failure }: AnsweredTurn): number[] {
  if (!flowState || isSilenced) return [];
  const { plan, asks } = flowState;
  const done = [...(asks?.done ?? []), ...effects.stepsDone];
  return [...new Set([...(failure ? [] : plan.doneByAnswer), ...done])];
}

/** The indexes of steps done, and the names of agents that ran. */
export interface TurnProgress {
  readonly conversationId: string;
  readonly turnId: string;
  readonly steps: readonly number[];
  readonly agents: readonly string[];
  /** Whether the answer has the question of the flow. */
  readonly isAsked: boolean;
}

/** Stores the once-only steps that were done, the agents that were run by steps of type `agent`, and what the flow asked. */
export async function storeStepsDone(
  scope: HostScope,
  { flow, asks }: FlowState,
  { conversationId, turnId, steps, agents, isAsked }: TurnProgress,
): Promise<void> {
  const ran = new Set(agents);
  const stepKeys = stepKeysOf(flow.steps);
  const done = stepKeys.flatMap(({ step, own, ofRuns }, at) => {
    if (!steps.includes(at)) return [];
    if (runsAgents(step)) return [...ofRuns].filter(([name]) => ran.has(name)).map(([, key]) => key);
    return isOnce(step) ? [own] : [];
  });
  const { asked } = asks ?? {};
  if (isAsked && asked) done.push(stepKeys[asked.step]?.ofAsking(asked.times) ?? '');
  if (isAsked && asks?.isStopped) done.push(STOPPED);
  if (done.length > 0) await markStepsDone(scope, { conversationId, flowId: flow.id, turnId }, done);
}

function historyOf(flow: TurnFlow, done: ReadonlySet<string>): StepHistory {
  const keys = stepKeysOf(flow.steps);
  return {
    isDone: at => done.has(keys[at]?.own ?? ''),
    hasRun: (at, agentName) => done.has(keys[at]?.ofRuns.get(agentName) ?? ''),
  };
}

/** The keys under which a step is stored as done. */
interface StepKeys {
  readonly step: FlowStep;
  readonly own: string;
  /** Keys by agent name, each stored once the step has run that agent. */
  readonly ofRuns: ReadonlyMap<string, string>;
  /** The key of a question that was asked so often. */
  ofAsking(times: number): string;
}

/** A turn asks for the keys of its steps before and after its answer. */
const keysOfSteps = new WeakMap<readonly FlowStep[], StepKeys[]>();

/** Hashes the text of each step once, because it may be long; the keys of its agents derive from that hash. */
function stepKeysOf(steps: readonly FlowStep[]): StepKeys[] {
  const known = keysOfSteps.get(steps);
  if (known) return known;
  const identities = stepIdentitiesOf(steps);
  const keys = steps.map((step, at) => {
    const hash = createHash('sha256').update(identities[at] ?? '');
    const names = runsAgents(step) ? (step.agents ?? []).map(({ agentName }) => agentName) : [];
    const keyOfRun = (name: string) => hash.copy().update(` ran ${name}`).digest('base64url');
    const ofRuns = new Map([...new Set(names)].map(name => [name, keyOfRun(name)]));
    const ofAsking = (times: number) => hash.copy().update(` asked ${times}`).digest('base64url');
    return { step, own: hash.copy().digest('base64url'), ofRuns, ofAsking };
  });
  keysOfSteps.set(steps, keys);
  return keys;
}

/** The state of each agent that runs as soon as its arguments are known. Rejects when the signal is aborted. */
export async function findWaitingAgents(
  { plan, agents }: FlowState,
  data: KnownData,
  { hostId, signal }: { readonly hostId: string; readonly signal: AbortSignal },
): Promise<WaitingAgent[]> {
  const steps = new Map(plan.agents.map(({ agentName, dueAt }) => [agentName, dueAt]));
  const waiting: WaitingAgent[] = [];
  for (const { name, arguments: schema } of agents) {
    const agent = { agentName: name, steps: steps.get(name) ?? [] };
    if (agent.steps.length === 0) continue;
    const { values, missing } = knownArgumentsOf(schema, data);
    // A schema with optional arguments only does not say when the agent is due: the model decides.
    const isTriggeredByData = Object.keys(values).length > 0 || argumentNamesIn(schema).length === 0;
    if (missing.length > 0 || !isTriggeredByData) {
      waiting.push({ ...agent, missing });
      continue;
    }
    const errors = await checkArguments({ hostId, signal }, { schema, args: values });
    const invalid = new Set(errors?.map(({ path }) => argumentIn(path)));
    if (errors?.length === 0) waiting.push({ ...agent, missing, knownArguments: values });
    else waiting.push({ ...agent, missing: Object.keys(values).filter(name => invalid.has(name)) });
  }
  return waiting;
}

function argumentIn(pointer: string): string {
  return (pointer.split('/')[1] ?? '').replaceAll('~1', '/').replaceAll('~0', '~');
}

/** The tools that the steps of the flow offer: agents, and conditions that hand over or end the conversation. */
export function makeFlowTools(
  { job: { hostId }, teams }: Pick<ReadTurn, 'job' | 'teams'>,
  { plan, agents }: FlowState,
  waitingAgents: readonly WaitingAgent[],
): TurnTool[] {
  const names = new Set<string>();
  const reserveName = (name: string) => {
    const unique = toolNameOf(name, taken => names.has(taken));
    names.add(unique);
    return unique;
  };
  const endings = plan.endings.map(ending => makeEndingTool(reserveName(ending.kind), ending, teams));
  const existing = new Map(agents.map(agent => [agent.name, agent]));
  const argumentsOf = new Map(waitingAgents.map(each => [each.agentName, each.knownArguments]));
  const offered = plan.agents.flatMap(offer => {
    const agent = existing.get(offer.agentName);
    if (!agent) return [];
    const knownArguments = argumentsOf.get(agent.name);
    return [
      makeAgentTool(reserveName(agent.name), agent, {
        ...offer,
        hostId,
        ...(knownArguments ? { knownArguments } : {}),
      }),
    ];
  });
  return [...endings, ...offered];
}

function makeEndingTool(
  name: string,
  { kind, step, condition, team }: OfferedEnding,
  teams: readonly Team[],
): TurnTool {
  const named = team === undefined ? undefined : findTeam(teams, team);
  const choice = teamChoiceOf(kind === 'handoff' && !named ? teams : []);
  return {
    name,
    description: describeEnding(kind, condition) + choice.description,
    parameters: { type: 'object', properties: choice.properties, additionalProperties: false },
    kind: 'step',
    async run(args) {
      const stepsDone = [step];
      if (kind === 'end') return { text: CONVERSATION_CLOSES, effects: { stepsDone, closes: true } };
      const to = named ? { teamId: named.id } : choice.read(args);
      const handover = { by: 'flow', reason: 'flow_step', step, ...to } as const;
      return { text: TEAM_CALLED, effects: { stepsDone, handover } };
    },
  };
}

/** `knownArguments` is set when the conversation's data give all required arguments: the agent is due then. */
type AgentOffer = OfferedAgent & { readonly hostId: string; readonly knownArguments?: JsonObject };

/**
 * Makes an agent a tool that the model may call. A call succeeds when its arguments match the schema. Otherwise the model gets
 * the errors as the result and may correct them once. Both calls count as one run, failed until corrected.
 */
function makeAgentTool(name: string, agent: AgentWithSchema, offer: AgentOffer): TurnTool {
  let failed: AgentRun | undefined;
  let stopwatch: Stopwatch | undefined;
  let isGivenUp = false;
  let isDone = false;

  function refuse(errors: readonly FieldError[], run: AgentRun): TurnToolResult {
    const error = errors.map(({ path, message }) => `${path || '/'} ${message}`).join('; ');
    isGivenUp = failed !== undefined;
    failed = { ...run, status: 'failed', error };
    const text = formatRejectedArguments(error, !isGivenUp);
    return { text, isError: true, effects: { agentRuns: [failed] } };
  }

  return {
    name,
    description: describeAgent(agent.description, offer.conditions),
    parameters: agent.arguments,
    kind: 'agent',
    isDue: offer.knownArguments !== undefined,
    async run(sentArgs, context) {
      const args = addKnownArguments(sentArgs, offer.knownArguments);
      const check = { schema: agent.arguments, args };
      const checked = await checkArguments({ hostId: offer.hostId, signal: context.signal }, check);
      // Checked after the wait, because the model may call it several times at once.
      if (isDone) return { text: ALREADY_DONE, isError: true };
      if (isGivenUp) return { text: NO_MORE_CALLS, isError: true };
      stopwatch ??= context.requestedBy?.stopwatch ?? startStopwatch();
      const run: AgentRun = {
        agentName: agent.name,
        step: offer.step,
        startedAt: stopwatch.startedAt.toISOString(),
        durationMs: stopwatch.elapsedMs(),
        tokens: (context.requestedBy?.tokens ?? 0) + (failed?.tokens ?? 0),
        status: 'done',
      };
      const errors = checked ?? [fieldError('', 'schema', 'took too long to check')];
      if (errors.length > 0) return refuse(errors, run);
      failed = undefined;
      isDone = offer.isOnce;
      const agentData = [{ agentName: agent.name, schemaName: agent.schemaName, data: args }];
      return { text: AGENT_DONE, effects: { agentRuns: [run], agentData, stepsDone: offer.steps } };
    },
  };
}

/** Known arguments fill in what the model left out. */
function addKnownArguments(args: JsonObject, known: JsonObject = {}): JsonObject {
  const missing = Object.entries(known).filter(([name]) => !Object.hasOwn(args, name) || isBlank(args[name]));
  return { ...args, ...Object.fromEntries(missing) };
}
