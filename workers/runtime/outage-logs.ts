import type { Logger } from 'pino';
import { makeOutageLog, type OutageLog } from '../../platform/outage-log.ts';
import type { ModelCall } from '../model/model.ts';

/** The parts that a worker cannot do without, and what is said when one is away. */
export interface OutageLogs {
  readonly store: OutageLog;
  readonly database: OutageLog;
  readonly onModelCall: (call: ModelCall) => void;
}

/** Longer than figures are published apart: their being written is how the database is seen to be back. */
const DATABASE_QUIET_MS = 4_000;
/** One call in many may fail without the model being away. */
const MODEL_QUIET_MS = 10_000;

export function makeOutageLogs(log: Logger): OutageLogs {
  const model = makeOutageLog(log, { event: 'model', name: 'the language model', quietMs: MODEL_QUIET_MS });
  return {
    store: makeOutageLog(log, { event: 'queue_store', name: 'the queue store' }),
    database: makeOutageLog(log, { event: 'database', name: 'the database', quietMs: DATABASE_QUIET_MS }),
    onModelCall({ status, error }) {
      if (status >= 200 && status < 300) model.noteSuccess();
      // What a model refuses for other reasons is about the question, or about the model that it names.
      else if (status === 0 || status === 401 || status === 429 || status >= 500)
        model.noteFailure(new Error(error ?? `refused with ${status}`));
    },
  };
}
