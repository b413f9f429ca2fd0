/** Retention of finished jobs. Set on each job, because job options override worker options. */
export const FINISHED_JOB_SECONDS = 60;

/** The longest time limit that a setting allows a request: so long may its job wait. */
export const MAX_TIME_LIMIT_MS = 600_000;

/** The options of every job. */
export const jobOptions = {
  attempts: 1,
  removeOnComplete: { age: FINISHED_JOB_SECONDS },
  removeOnFail: { age: FINISHED_JOB_SECONDS },
};

/** Time for a handler to clean up and return an outcome after its signal aborts. */
export const ABORT_GRACE_MS = 40;

/** The worker ends a job at its deadline; the API waits this much longer for the outcome. Must exceed `ABORT_GRACE_MS`. */
export const REPLY_GRACE_MS = 120;

/** How long waiting requests survive an outage of the queue store. */
export const STORE_OUTAGE_LIMIT_MS = 4_000;
