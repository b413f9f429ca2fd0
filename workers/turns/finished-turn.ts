import type { Logger } from 'pino';
import { isDatabaseUnavailable } from '../../db/connection.ts';
import type { Model } from '../model/model.ts';
import { type FinishedTurn, type TurnTime, turnStages } from '../runtime/turn-time.ts';
import type { TurnJob } from './turn.ts';

interface TellParts {
  readonly log: Logger;
  readonly onTurn?: ((turn: FinishedTurn) => void) | undefined;
}

/** Logs a turn that has ended, without any of its texts, and counts it. `conversationId`: where it differs from the request's. */
export function tellTurn(
  { log, onTurn }: TellParts,
  { requestId, hostId, turnId, body, time }: TurnJob,
  { status, conversationId = body.conversationId }: { status: number; conversationId?: string | undefined },
): void {
  const ms = time.read();
  const fields = Object.fromEntries(turnStages.map(stage => [`${stage}Ms`, ms[stage]]));
  const total = turnStages.reduce((sum, stage) => sum + ms[stage], 0);
  const of = { event: 'turn.finished', requestId, hostId, conversationId, turnId, status };
  const { model, tools } = time;
  log.info({ ...of, total, ...fields, ...(model ? { model } : {}), tools }, 'turn finished');
  onTurn?.({ hostId, status, ms });
}

/** How a turn that threw ended: the caller who went away is told nothing, and counts as 499. */
export function statusOfThrown({ signal, remainingMs }: TurnJob, error: unknown): number {
  if (signal.reason === 'cancelled') return 499;
  if (signal.reason === 'deadline' || remainingMs() <= 0) return 408;
  return signal.aborted || isDatabaseUnavailable(error) ? 503 : 500;
}

/** The model of a turn's answer: its calls are the time of the model, and all else that the answer takes stays where it was. */
export function makeTimedModel(model: Model, time: TurnTime, defaultModel = ''): Model {
  return {
    async complete(name, messages, options) {
      time.model = name ?? defaultModel;
      const outcome = await time.during('model', () => model.complete(name, messages, options));
      time.model = outcome.answer?.model ?? outcome.calls.at(-1)?.name ?? time.model;
      time.tools += outcome.answer?.toolCalls.length ?? 0;
      return outcome;
    },
  };
}
