/*
 * How long an orderly end may take. Each must leave room for the one before it: a worker ends the jobs it has,
 * then its process lets go of the stores, then the launcher ends the database.
 */
export const WORK_ENDS_WITHIN_MS = 20_000;
/** `web` waits this much longer: a worker that is told to stop at the same moment tells how its jobs ended. */
export const ANSWERS_END_LATER_MS = 1_000;
/** What lets go of the stores: one that does not answer keeps nobody from ending. */
export const CLOSE_STORES_WITHIN_MS = 1_000;
export const PROCESS_ENDS_WITHIN_MS = 24_000;
export const CHILDREN_END_WITHIN_MS = 25_000;
export const ALL_ENDS_WITHIN_MS = 29_000;
