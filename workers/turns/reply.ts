import type { Conversation } from '../../db/conversations/conversations.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { isEmail } from '../../text/contact.ts';
import { quoteLine } from '../../text/lines.ts';
import type { Choice } from '../domain/asks/said-value.ts';
import { MAX_FACTS } from '../domain/prompts/prompt-facts.ts';
import type { ModelCall } from '../model/tries.ts';
import type { Event } from '../runtime/add-event.ts';
import { MAX_TOOLS } from './ask.ts';
import { listDoneSteps } from './flow.ts';
import { type AnsweredTurn, type FlowState, listRunAgents, type ReturnedDialogue } from './turn.ts';

/** Returns one entry for each model that the turn used. */
export function tokensByModelOf(calls: readonly ModelCall[]): { model: string; tokens: number }[] {
  const used = new Map<string, number>();
  for (const { name, status, tokens } of calls) {
    if (status === 200) used.set(name, (used.get(name) ?? 0) + tokens);
  }
  return [...used].map(([model, tokens]) => ({ model, tokens }));
}

type Response = DataOf<'reason'>;

/** The rows that the commit created or found; an id is '' where there is none. */
export interface CommitResult {
  readonly userId: string;
  readonly ticketId: string;
  readonly receipt: Response['svcCompleteLog'][number];
}

export function responseOf(turn: AnsweredTurn, { userId, ticketId, receipt }: CommitResult): Response {
  const { conversation, answer, items, effects, returnedDialogue } = turn;
  const { hostId, body } = turn.job;
  const choices = turn.failure || turn.isSilenced ? [] : offeredChoicesOf(turn.flowState);
  return {
    ...emptyResponse(hostId, conversation, turn.input.question),
    assistantResponse: {
      string: answer,
      wppParsed: items.map(item => ({ ...item })),
      isAudio:
        items.some(item => item.type === 'audio') ||
        (answer !== '' && turn.isSpoken && turn.avatar.answer_in_audio),
    },
    ...(choices.length > 0 ? { choices: choices.map(choice => ({ ...choice })) } : {}),
    ...(turn.isTruncated ? { truncated: true } : {}),
    sources: turn.sources,
    unsupported: turn.unsupported,
    tokensControl: tokensByModelOf(turn.calls),
    userId,
    tickets: { ticketId, ticketDescription: effects.ticket?.description ?? '' },
    jsonArray: [...effects.agentData],
    agentsLog: [...effects.agentRuns],
    restStatus: restStatusOf(turn),
    conversation: returnedDialogue ? dialogueOf(turn, returnedDialogue) : [],
    ...(returnedDialogue?.isTruncated ? { conversationTruncated: true } : {}),
    svcCompleteLog: body.reasoningConfig?.svcCompleteLog ? [receipt] : [],
  };
}

/** The choices of the question at the end of the answer, else those of its last message. */
function offeredChoicesOf(flowState: FlowState | undefined): readonly Choice[] {
  if (!flowState) return [];
  const { flow, plan, asks } = flowState;
  if (asks && asks.choices.length > 0) return asks.choices;
  const said = flow.steps.filter(({ type }, at) => type === 'message' && plan.doneByAnswer.includes(at));
  return said.findLast(({ choices = [] }) => choices.length > 0)?.choices ?? [];
}

/** Returns one entry for each call to an external service: models, MCP servers and REST tools. */
function restStatusOf({ calls, externalCalls }: AnsweredTurn) {
  const models = calls.map(({ name, ...call }) => ({ ...call, name: `model:${name}` }));
  return [...models, ...externalCalls].map(({ name, status, durationMs, error }) => ({
    name,
    status,
    durationMs,
    ...(error ? { error } : {}),
  }));
}

function dialogueOf(
  { input, answer, startedAt, durationMs }: AnsweredTurn,
  { items, lastQuestion }: ReturnedDialogue,
) {
  const { question } = input;
  const endedAt = new Date(startedAt.getTime() + durationMs);
  const message = { role: 'user' as const, createdAt: startedAt.toISOString(), ...lastQuestion };
  const earlier = items.map(({ isUnanswered: _, isOpen: _open, unsupported: _figures, ...item }) => item);
  return [
    ...earlier,
    ...(question ? [{ ...message, content: question }] : []),
    ...(answer ? [{ role: 'assistant' as const, content: answer, createdAt: endedAt.toISOString() }] : []),
  ].map(item => ({ ...item }));
}

export function emptyResponse(
  hostId: string,
  { id, contactId, leadId, askHumanHelp }: Conversation,
  question: string | undefined,
): DataOf<'reason'> {
  return {
    assistantResponse: { string: '', wppParsed: [], isAudio: false },
    sources: [],
    unsupported: [],
    tokensControl: [],
    sessionId: id,
    conversationId: id,
    hostId,
    userId: contactId ?? '',
    leadId: leadId ?? '',
    tickets: { ticketId: '', ticketDescription: '' },
    askHumanHelp,
    jsonArray: [],
    agentsLog: [],
    restStatus: [],
    conversation: [],
    svcCompleteLog: [],
    question: question ?? '',
  };
}

const TRUNCATED = 'the server of the model cut the answer; it ends with its last whole sentence';
const MAX_LISTED = 20;
const MAX_KEY_LENGTH = 100;

/** The receipt records what happened in the turn, to explain an answer later. */
export function receiptOf(turn: AnsweredTurn) {
  const { flowState, effects } = turn;
  return {
    turnId: turn.job.turnId,
    attempt: turn.attempt,
    startedAt: turn.startedAt.toISOString(),
    durationMs: turn.durationMs,
    avatar: { id: turn.avatar.avatar_id, subSlug: turn.avatar.sub_slug },
    model: turn.model,
    retrieval: {
      query: turn.retrievalQuery,
      ...(turn.rewritten === undefined ? {} : { rewritten: turn.rewritten }),
      filter: filterReceiptOf(turn),
      chunks: turn.chunks.map(({ chunkId, datasetId, score, scores }) => {
        return { chunkId, datasetId, score, ...(scores ? { scores } : {}) };
      }),
    },
    flow: flowState ? flowReceiptOf(flowState, turn) : null,
    modelCalls: turn.calls.map(callReceiptOf),
    toolCalls: turn.toolRuns,
    outsideCalls: turn.externalCalls,
    agents: effects.agentRuns,
    handover: effects.handover ?? null,
    ticket: effects.ticket ? { subject: effects.ticket.subject } : null,
    check: turn.check,
    closes: effects.closes,
    silenced: turn.isSilenced,
    ...(turn.isTruncated ? { truncated: true } : {}),
    warnings: [
      ...turn.warnings,
      ...(turn.isTruncated ? [TRUNCATED] : []),
      ...emailWarningsOf(turn),
      ...factsWarningsOf(turn),
      ...toolsWarningsOf(turn),
    ],
  };
}

function callReceiptOf({ usage, refusal: _, purpose: _purpose, ...call }: ModelCall) {
  const { input, cached, output } = usage;
  return { ...call, input_tokens: input, cached_tokens: cached, output_tokens: output };
}

function emailWarningsOf({ job }: AnsweredTurn): string[] {
  const { userData } = job.body;
  return !userData?.email || isEmail(userData.email) ? [] : ['userData.email is not an e-mail address'];
}

function factsWarningsOf({ factsLeftOut }: AnsweredTurn): string[] {
  if (factsLeftOut.length === 0) return [];
  return [
    `globalData has more than the ${MAX_FACTS} characters that the prompt takes; cut or left out: ${listNames(factsLeftOut)}`,
  ];
}

function toolsWarningsOf({ toolsLeftOut }: AnsweredTurn): string[] {
  if (toolsLeftOut.length === 0) return [];
  return [
    `the flow has more functions than the ${MAX_TOOLS} that a model takes; left out: ${listNames(toolsLeftOut)}`,
  ];
}

/** Keys are the client's and may hold any text, so they are quoted and cut. */
function listNames(names: readonly string[]): string {
  const listed = names.slice(0, MAX_LISTED).map(name => quoteLine(name, MAX_KEY_LENGTH));
  const more = names.length - listed.length;
  return `${listed.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Returns the filter keys that have no value in the turn's data: chunks with these filters were not read. */
function filterReceiptOf({ missingFilterKeys }: AnsweredTurn) {
  return missingFilterKeys.map(key => ({
    key,
    reason: 'neither globalData nor userData has a value for it',
  }));
}

function flowReceiptOf({ flow, plan, agents, asks }: FlowState, turn: AnsweredTurn) {
  const done = listDoneSteps(turn);
  const existing = new Set(agents.map(({ name }) => name));
  const skipped = new Map(plan.skipped.map(({ step, reason }) => [step, reason]));
  const missing = plan.agents.map(({ agentName }) => agentName).filter(name => !existing.has(name));
  return {
    id: flow.id,
    name: flow.name,
    version: flow.version,
    steps: flow.steps.map(({ type }, step) => {
      const reason = skipped.get(step);
      if (reason) return { step, type, outcome: 'skipped', reason };
      const waiting = findWaitingAgents(step, turn);
      return {
        step,
        type,
        outcome: done.includes(step) ? 'done' : asks?.asked?.step === step ? 'asked' : 'offered',
        ...(waiting.length > 0 ? { waiting } : {}),
      };
    }),
    ...(missing.length > 0 ? { missingAgents: missing } : {}),
  };
}

/** Returns the agents that the step still waits to run, with the required arguments that the conversation's data lack. */
function findWaitingAgents(step: number, { waitingAgents, effects }: AnsweredTurn) {
  const ran = new Set(listRunAgents(effects));
  return waitingAgents
    .filter(({ agentName, steps }) => steps.includes(step) && !ran.has(agentName))
    .map(({ agentName, missing }) => ({ agentName, missing }));
}

/**
 * Returns the events that an answered turn sends to the webhooks of its host, with the conversation as it was before. There are
 * none while a staff member attends and gives the answers, nor in a rehearsal, on which nobody is to act.
 */
export function eventsOf(
  { job, conversation, effects, isSilenced }: AnsweredTurn,
  { ticketId, askHumanHelp }: { readonly ticketId: string; readonly askHumanHelp: boolean },
): Event[] {
  const { turnId, body } = job;
  if (isSilenced || body.reasoningConfig?.rehearsal) return [];
  const conversationId = conversation.id;
  const { handover, closes, ticket, agentData } = effects;
  const isHandedOver = handover && !conversation.askHumanHelp;
  const isClosed = closes && !handover && !conversation.closed;
  return [
    { type: 'turn.answered', data: { turnId, conversationId, askHumanHelp } },
    ...agentData.map(run => ({ type: 'agent.ran', data: { ...run, conversationId } }) as const),
    ...(ticket && ticketId !== ''
      ? [{ type: 'ticket.opened', data: { ticketId, conversationId, subject: ticket.subject } } as const]
      : []),
    ...(isHandedOver
      ? [
          {
            type: 'conversation.handover_requested',
            data: {
              conversationId,
              reason: handover.reason,
              ...(handover.teamId === undefined ? {} : { teamId: handover.teamId }),
            },
          } as const,
        ]
      : []),
    ...(isClosed ? [{ type: 'conversation.closed', data: { conversationId } } as const] : []),
  ];
}
