/*
 * The conversations of the page, one for each assistant of a host, so that a reload restores them. They are in the session
 * storage of this tab and end with the session.
 */

/** @typedef {import('./message-items.js').Item} Item */
/** @typedef {{ question: string }} Ours */
/** @typedef {{ items: Item[], used: { model: string, tokens: number }[], tookMs: number }} Theirs */
/** @typedef {{ question: string, key: string, details: object }} Pending A question without an answer so far. */
/** @typedef {{ conversationId?: string, entries: (Ours | Theirs)[], pending?: Pending, awaitsPerson?: boolean }} Chat */
/** @typedef {{ chosen?: string, chats: Record<string, Chat> }} Kept */

const MAX_ENTRIES = 200;

/** @param {string} hostId */
export function makeChatStorage(hostId) {
  const place = `parley-chats:${hostId}`;
  return {
    /** The assistant that was chosen last. */
    chosen: () => read(place).chosen,
    /** @param {string} subSlug @returns {Chat} */
    of: subSlug => {
      const { chats } = read(place);
      return (Object.hasOwn(chats, subSlug) && chats[subSlug]) || { entries: [] };
    },
    /** @param {string} subSlug @param {Chat} chat */
    keep: (subSlug, chat) => {
      const { chats } = read(place);
      const entries = chat.entries.slice(-MAX_ENTRIES);
      write(place, { chosen: subSlug, chats: { ...chats, [subSlug]: { ...chat, entries } } });
    },
  };
}

/** @param {string} place @returns {Kept} */
function read(place) {
  try {
    return JSON.parse(sessionStorage.getItem(place) ?? 'null') ?? { chats: {} };
  } catch {
    return { chats: {} };
  }
}

/** @param {string} place @param {Kept} kept */
function write(place, kept) {
  try {
    sessionStorage.setItem(place, JSON.stringify(kept));
  } catch {
    // The storage is full: the page continues, and a reload restores less.
  }
}
