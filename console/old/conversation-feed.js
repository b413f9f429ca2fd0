import { callHelper, readServiceClock, ServiceError } from '../service.ts';

/**
 * @typedef {{ id: string, contact_name: string, user_name: string, wpp_id: string, platform: string, main_topic: string,
 *   dialogue_summary: string, tip: string, last_message_at: string, ask_human_help: boolean, closed: boolean,
 *   archived: boolean, assigned_to: string | null }} Conversation
 */
/** @typedef {{ ask_human_help?: boolean, closed: boolean }} Filter */

/*
 * The conversations of a host, kept up to date: the first pages are read once, and then whatever changed since. A list of
 * changes is read to its end: where that takes several looks, or one fails, the next goes on at the page that is due.
 *
 *   reading --ok--> waiting (1 s; 10 s in a hidden tab) --> reading        reading --error--> waiting longer each time
 */

const EVERY_MS = 1_000;
const HIDDEN_MS = 10_000;
const MAX_WAIT_MS = 15_000;
/** A message shows when its transaction is committed, which is a moment after the time that it carries. */
const OVERLAP_MS = 5_000;
/** Of one look: the page shows what it has before it asks for more. */
const MAX_PAGES = 10;

/**
 * @param {string} hostId
 * @param {{ onConversations: (changed: Conversation[]) => void, onTrouble: (error: unknown) => void, isWanted: () => boolean }} listener
 */
export function makeConversationFeed(hostId, { onConversations, onTrouble, isWanted }) {
  let since = readServiceClock() - OVERLAP_MS;
  /** The list that is not read to its end. @type {{ updatedSince: string, startedAt: number, cursor?: string } | undefined} */
  let changes;
  let failures = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {Promise<void> | undefined} */
  let reading;

  const readChanges = async () => {
    changes ??= { updatedSince: new Date(since).toISOString(), startedAt: readServiceClock() };
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const { updatedSince, startedAt, cursor } = changes;
      const body = { hostId, updatedSince, limit: 100, ...(cursor ? { cursor } : {}) };
      const { items, nextCursor } = await callHelper('conversationsListHelper', body);
      onConversations(items);
      if (!nextCursor) {
        since = startedAt - OVERLAP_MS;
        changes = undefined;
        return;
      }
      changes.cursor = nextCursor;
    }
  };
  /** Reads what changed, at once. Calls at the same time share one request. */
  const refresh = () => {
    clearTimeout(timer);
    reading ??= readChanges()
      .then(() => {
        failures = 0;
        onTrouble(undefined);
      })
      .catch(error => {
        failures += 1;
        // A cursor that is refused, as one is after hours, would be refused for ever.
        if (error instanceof ServiceError && error.status === 400) changes = undefined;
        onTrouble(error);
      })
      .finally(() => {
        reading = undefined;
        const usual = document.hidden ? HIDDEN_MS : EVERY_MS;
        if (isWanted())
          timer = setTimeout(() => void refresh(), Math.min(MAX_WAIT_MS, usual * 2 ** failures));
      });
    return reading;
  };
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden && isWanted()) void refresh();
  });
  return {
    hostId,
    refresh,
    /** One page of a list. @param {Filter} filter @param {string} [cursor] @returns {Promise<string | null>} */
    async readPage(filter, cursor) {
      const body = { hostId, archived: false, ...filter, ...(cursor ? { cursor } : {}) };
      const { items, nextCursor } = await callHelper('conversationsListHelper', body);
      onConversations(items);
      return nextCursor;
    },
  };
}
