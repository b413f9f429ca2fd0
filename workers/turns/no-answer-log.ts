import type { Logger } from 'pino';
import { isAway, type ModelCall } from '../model/model.ts';

export interface UnansweredTurn {
  readonly requestId: string;
  readonly jobId: string;
  readonly calls: readonly ModelCall[];
}

const TOLD_EVERY_MS = 60_000;

/**
 * Tells of turns for which the model had no usable answer: of the first at once, then of one a minute and how many others
 * there were. A model that cannot be reached is told of elsewhere, once for all turns.
 */
export function makeNoAnswerLog(
  log: Pick<Logger, 'warn'>,
  now: () => number = () => performance.now(),
): (turn: UnansweredTurn) => void {
  let toldAt = Number.NEGATIVE_INFINITY;
  let others = 0;
  return ({ requestId, jobId, calls }) => {
    if (calls.some(isAway)) return;
    if (now() - toldAt < TOLD_EVERY_MS) return void (others += 1);
    const event = 'turn.no_answer';
    log.warn({ event, requestId, jobId, calls, others }, 'the model gave no usable answer');
    toldAt = now();
    others = 0;
  };
}
