import { isEmail } from '../../text/contact.ts';
import { quoteLine } from '../../text/lines.ts';
import { MAX_FACTS } from '../domain/prompts/prompt-facts.ts';
import type { ModelCall } from '../model/model-call.ts';
import { listRunAgents } from './effects.ts';
import { type FlowState, listDoneSteps } from './flow-state.ts';
import type { Turn } from './turn.ts';

const MAX_LISTED = 20;
const MAX_KEY_LENGTH = 100;

/** The record of what happened in the turn, to explain an answer later. */
export function receiptOf(turn: Turn) {
  const { flowState, effects } = turn;
  return {
    turnId: turn.turnId,
    attempt: turn.attempt,
    startedAt: turn.startedAt.toISOString(),
    durationMs: turn.durationMs,
    avatar: { id: turn.avatar.id, subSlug: turn.avatar.subSlug },
    model: turn.model,
    retrieval: {
      query: turn.retrievalQuery,
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
    warnings: [...turn.warnings, ...emailWarningsOf(turn), ...factsWarningsOf(turn)],
  };
}

function callReceiptOf({ usage, ...call }: ModelCall) {
  const { input, cached, output } = usage;
  return { ...call, input_tokens: input, cached_tokens: cached, output_tokens: output };
}

function emailWarningsOf({ body: { userData } }: Turn): string[] {
  return !userData?.email || isEmail(userData.email) ? [] : ['userData.email is not an e-mail address'];
}

/** The keys are the client's and may hold any text, so they are quoted and cut. */
function factsWarningsOf({ factsLeftOut }: Turn): string[] {
  if (factsLeftOut.length === 0) return [];
  const keys = factsLeftOut.slice(0, MAX_LISTED).map(key => quoteLine(key, MAX_KEY_LENGTH));
  const more = factsLeftOut.length - keys.length;
  const list = `${keys.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return [
    `globalData has more than the ${MAX_FACTS} characters that the prompt takes; cut or left out: ${list}`,
  ];
}

/** Filter keys without a value in the turn's data: chunks with these filters were not read. */
function filterReceiptOf({ missingFilterKeys }: Turn) {
  return missingFilterKeys.map(key => ({
    key,
    reason: 'neither globalData nor userData has a value for it',
  }));
}

function flowReceiptOf({ flow, plan, agents }: FlowState, turn: Turn) {
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
        outcome: done.includes(step) ? 'done' : 'offered',
        ...(waiting.length > 0 ? { waiting } : {}),
      };
    }),
    ...(missing.length > 0 ? { missingAgents: missing } : {}),
  };
}

/** The agents that the step still waits to run, with the required arguments that the conversation's data lack. */
function findWaitingAgents(step: number, { readiness, effects }: Turn) {
  const ran = new Set(listRunAgents(effects));
  return readiness
    .filter(({ agentName, steps }) => steps.includes(step) && !ran.has(agentName))
    .map(({ agentName, missing }) => ({ agentName, missing }));
}
