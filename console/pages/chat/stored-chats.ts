import type { DataOf } from '../../../queues/contract/operations/index.ts';

/*
 * The conversations of Testar are kept, one for each assistant of a host, so that a reload restores them. They are in the session
 * storage of this tab and end with the session.
 */

interface Question {
  readonly question: string;
}

export interface Answer {
  readonly turn: Pick<DataOf<'reason'>, 'assistantResponse' | 'sources' | 'unsupported' | 'tokensControl'>;
  readonly tookMs: number;
}

/** A question without an answer so far. Its key makes sure that it is answered once, however often it is sent. */
export interface Pending extends Question {
  readonly key: string;
  readonly userData: Readonly<Record<string, string>>;
}

export interface Chat {
  readonly conversationId?: string;
  readonly entries: readonly (Question | Answer)[];
  readonly pending?: Pending | undefined;
  readonly awaitsPerson?: boolean;
}

interface StoredChats {
  /** The assistant that the person chose last. */
  readonly chosen?: string;
  readonly chats: Readonly<Record<string, Chat>>;
}

const MAX_ENTRIES = 200;

const keyOf = (hostId: string): string => `parley-chat:${hostId}`;

export const readChosen = (hostId: string): string | undefined => read(hostId).chosen;

export function readChat(hostId: string, subSlug: string): Chat {
  const { chats } = read(hostId);
  return (Object.hasOwn(chats, subSlug) && chats[subSlug]) || { entries: [] };
}

export function storeChat(hostId: string, subSlug: string, chat: Chat): void {
  const { chats } = read(hostId);
  const kept = { ...chat, entries: chat.entries.slice(-MAX_ENTRIES) };
  try {
    const next: StoredChats = { chosen: subSlug, chats: { ...chats, [subSlug]: kept } };
    sessionStorage.setItem(keyOf(hostId), JSON.stringify(next));
  } catch {
    // The storage is full: the page continues, and a reload restores less.
  }
}

function read(hostId: string): StoredChats {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(hostId)) ?? 'null') ?? { chats: {} };
  } catch {
    return { chats: {} };
  }
}
