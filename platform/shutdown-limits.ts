/*
 * Time limits of a graceful shutdown. Those that end in `ENDS_WITHIN_MS` must each exceed the previous one: a worker
 * finishes its jobs, then its process closes the stores, then the launcher stops the database.
 */
export const WORK_ENDS_WITHIN_MS = 20_000;
/** `web` waits this much longer for the outcomes of workers that stop at the same time. */
export const RESPONSES_END_LATER_MS = 1_000;
/** Closing the stores may take this long: a store that hangs must not block the shutdown. */
export const CLOSE_STORES_WITHIN_MS = 1_000;
/** Each connection of BullMQ may take this long to close: given up earlier, it would report its errors to nobody. */
export const CLOSE_PART_WITHIN_MS = 4_000;
export const PROCESS_ENDS_WITHIN_MS = 24_000;
export const CHILDREN_END_WITHIN_MS = 25_000;
export const ALL_ENDS_WITHIN_MS = 29_000;
