import type { Logger } from 'pino';
import { isAway, type ModelCall } from '../model/model.ts';

export interface UnansweredTurn {
  readonly requestId: string;
  readonly jobId: string;
  readonly calls: readonly ModelCall[];
}

const LOG_EVERY_MS = 60_000;

/**
 * Logs turns for which the model gave no usable answer: the first one at once, then one a minute with the number of
 * others. An unreachable model is logged elsewhere, once for all turns.
 */
export function makeNoAnswerLog(
  log: Pick<Logger, 'warn'>,
  now: () => number = () => performance.now(),
): (turn: UnansweredTurn) => void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  let others = 0;
  return ({ requestId, jobId, calls }) => {
    if (calls.some(isAway)) return;
    if (now() - loggedAt < LOG_EVERY_MS) return void (others += 1);
    const event = 'turn.no_answer';
    log.warn({ event, requestId, jobId, calls, others }, 'the model gave no usable answer');
    loggedAt = now();
    others = 0;
  };
}
