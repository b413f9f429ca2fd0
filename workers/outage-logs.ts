import type { Logger } from 'pino';
import { isDatabaseUnavailable } from '../db/connection.ts';
import {
  makeDatabaseOutageLog,
  makeOutageLog,
  makeQueueStoreOutageLog,
  type OutageLog,
  type TaskFailureLog,
} from '../platform/outage-log.ts';
import { isProviderFailure } from './model/model-call.ts';
import type { ModelCall } from './model/tries.ts';

export interface OutageLogs {
  readonly store: OutageLog;
  readonly database: OutageLog;
  readonly onModelCall: (call: ModelCall) => void;
  /** Logs a failed background task, unless the database is unavailable: then the outage is logged once for all tasks. */
  readonly onTaskFailed: TaskFailureLog;
}

/** Longer than the intervals of the background tasks: on a full disk a small write succeeds, but one of theirs fails. */
const WORKER_DATABASE_QUIET_MS = 7_000;
/** A single failed call does not mean that the model is down. */
const MODEL_QUIET_MS = 10_000;
/** A call that is aborted after this long, by the deadline of its turn or by a client that gave up, is a sign of an outage. */
const NO_ANSWER_MS = 20_000;

export function makeOutageLogs(log: Logger, now?: () => number): OutageLogs {
  const part = { event: 'model', name: 'the language model', quietMs: MODEL_QUIET_MS };
  const models = new Map<string, OutageLog>();
  /** A model that answers turns may fail at insights: these are no outage of the turns. */
  const modelOf = (purpose: ModelCall['purpose']) => {
    const model = models.get(purpose) ?? makeOutageLog(log, { ...part, fields: { purpose } }, now);
    models.set(purpose, model);
    return model;
  };
  const database = makeDatabaseOutageLog(log, WORKER_DATABASE_QUIET_MS);
  return {
    store: makeQueueStoreOutageLog(log),
    database,
    onTaskFailed(err, event, message, fields) {
      if (isDatabaseUnavailable(err)) database.noteFailure(err);
      else log.warn({ event, err, ...fields }, message);
    },
    onModelCall(call) {
      if (call.isOfHost) return;
      const model = modelOf(call.purpose);
      if (isProviderFailure(call)) model.noteFailure(new Error(call.error ?? `refused with ${call.status}`));
      else if (call.status === 0 && call.durationMs >= NO_ANSWER_MS)
        model.noteFailure(new Error(`no answer within ${Math.round(call.durationMs / 1_000)} s: time out`));
      else if (call.status >= 200 && call.status < 300) model.noteSuccess();
    },
  };
}
