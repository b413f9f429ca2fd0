import type { Logger } from 'pino';

export type ThrottledWarning = (fields: Fields, message: string) => void;

interface Fields {
  readonly event: string;
  readonly [field: string]: unknown;
}

const LOG_EVERY_MS = 60_000;

/** Logs the first warning of each event at once, then one a minute with the number of `others`. */
export function makeThrottledWarning(
  log: Pick<Logger, 'warn'>,
  now: () => number = () => performance.now(),
): ThrottledWarning {
  const states = new Map<string, { loggedAt: number; others: number }>();
  return (fields, message) => {
    const state = states.get(fields.event);
    if (state && now() - state.loggedAt < LOG_EVERY_MS) return void (state.others += 1);
    log.warn({ ...fields, others: state?.others ?? 0 }, message);
    states.set(fields.event, { loggedAt: now(), others: 0 });
  };
}
