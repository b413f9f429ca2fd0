/*
 * The conversations of the page, one for each assistant of a host, so that a reload restores them. They are in the session
 * storage of this tab and end with the session.
 */

/** @typedef {import('./message-items.js').Item} Item */
/** @typedef {{ question: string }} UserEntry */
/** @typedef {{ items: Item[], used: { model: string, tokens: number }[], tookMs: number }} AssistantEntry */
/** @typedef {{ question: string, key: string, details: object }} Pending A question without an answer so far. */
/** @typedef {{ conversationId?: string, entries: (UserEntry | AssistantEntry)[], pending?: Pending, awaitsPerson?: boolean }} Chat */
/** @typedef {{ chosen?: string, chats: Record<string, Chat> }} StoredChats */

const MAX_ENTRIES = 200;

/** @param {string} hostId */
export function makeChatStorage(hostId) {
  const key = `parley-chats:${hostId}`;
  return {
    /** The assistant that was chosen last. */
    readChosen: () => read(key).chosen,
    /** @param {string} subSlug @returns {Chat} */
    load: subSlug => {
      const { chats } = read(key);
      return (Object.hasOwn(chats, subSlug) && chats[subSlug]) || { entries: [] };
    },
    /** @param {string} subSlug @param {Chat} chat */
    store: (subSlug, chat) => {
      const { chats } = read(key);
      const entries = chat.entries.slice(-MAX_ENTRIES);
      write(key, { chosen: subSlug, chats: { ...chats, [subSlug]: { ...chat, entries } } });
    },
  };
}

/** @param {string} key @returns {StoredChats} */
function read(key) {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null') ?? { chats: {} };
  } catch {
    return { chats: {} };
  }
}

/** @param {string} key @param {StoredChats} stored */
function write(key, stored) {
  try {
    sessionStorage.setItem(key, JSON.stringify(stored));
  } catch {
    // The storage is full: the page continues, and a reload restores less.
  }
}
