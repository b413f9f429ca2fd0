import { useEffect, useRef, useState } from 'preact/hooks';
import { call, isRefused, readServiceClock } from '../../service.ts';
import { useReturn } from '../../use-load.ts';
import type { Conversation, Message } from './conversation.ts';
import type { Feed } from './feed.ts';

export interface Messages {
  readonly items: readonly Message[];
  readonly isRead: boolean;
  readonly error: unknown;
  readonly retry: () => void;
}

/** A message on its way to the channel is looked at again after this time; the older it is, the later. */
const MIN_LOOK_MS = 1_000;
const MAX_LOOK_MS = 60_000;

/** Returns all messages and notes of the open conversation, and reads new ones when its last message is newer. */
export function useMessages(
  feed: Feed,
  { id, last_message_at: at, last_note_at: notedAt }: Conversation,
): Messages {
  const [items, setItems] = useState<readonly Message[]>([]);
  const [state, setState] = useState<{ readonly isRead: boolean; readonly error?: unknown }>({
    isRead: false,
  });
  const [tries, setTries] = useState(0);
  const cursor = useRef<string>(undefined);
  const reading = useRef(Promise.resolve());
  useEffect(() => {
    const read = async () => {
      for (;;) {
        const place = cursor.current ? { cursor: cursor.current } : {};
        const body = { hostId: feed.hostId, conversationId: id, limit: 100, notes: true, ...place };
        const { items: page, nextCursor } = await call('listMessages', body);
        setItems(known => mergePage(known, page));
        // The next refresh reads the last page again, because that page grows.
        if (!nextCursor) break;
        cursor.current = nextCursor;
      }
      setState({ isRead: true });
    };
    reading.current = reading.current.then(read).catch(error => {
      // A refused cursor, such as one of an earlier version, would be refused for ever.
      if (isRefused(error)) cursor.current = undefined;
      setState({ isRead: true, error });
    });
  }, [at, notedAt, tries]);
  useReturn(state.error, () => {
    setTries(times => times + 1);
    return undefined;
  });
  useEffect(() => {
    const pending = items.find(({ delivery }) => delivery === 'pending');
    if (!pending) return undefined;
    const age = readServiceClock() - Date.parse(pending.createdAt);
    const wait = Math.min(MAX_LOOK_MS, Math.max(MIN_LOOK_MS, age));
    const timer = setTimeout(() => setTries(tries + 1), wait);
    return () => clearTimeout(timer);
  }, [items, tries]);
  return { items, ...state, error: state.error, retry: () => setTries(tries + 1) };
}

/** Merges a page; known messages can change only in their delivery. */
function mergePage(known: readonly Message[], page: readonly Message[]): readonly Message[] {
  const read = new Map(page.map(message => [message.messageId, message]));
  const kept = known.map(message => {
    const again = read.get(message.messageId);
    const isSame = again?.delivery === message.delivery && again?.nextAttemptAt === message.nextAttemptAt;
    return again && !isSame ? again : message;
  });
  return [...kept, ...page.filter(each => isLater(each, known.at(-1)))];
}

/** A later message of a conversation has a higher id. */
function isLater({ messageId }: Message, last: Message | undefined): boolean {
  return !last || Number(messageId) > Number(last.messageId);
}
