/** Finished jobs leave the queue's store after this. Set on each job, since a job's own option beats a worker's. */
export const FINISHED_JOB_SECONDS = 60;

/** What a handler has, once it is told to stop, to leave things in order and say how it ended. */
export const ABORT_GRACE_MS = 40;

/** The worker ends a job at its deadline; the api waits this much longer to hear how. Longer than `STOPPING_MS`. */
export const REPLY_GRACE_MS = 120;

/** How long requests in flight hope for a store that takes no writes any more. */
export const STORE_OUTAGE_LIMIT_MS = 4_000;
