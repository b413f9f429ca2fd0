import { useEffect, useRef, useState } from 'preact/hooks';
import { call } from '../../service.ts';
import type { Conversation } from './conversation.ts';
import type { Feed } from './feed.ts';
import type { Message } from './last-messages.ts';

export interface Messages {
  readonly items: readonly Message[];
  readonly isRead: boolean;
  readonly error: unknown;
  readonly retry: () => void;
}

/** All messages of the open conversation; those that are new are read when its last one is newer. */
export function useMessages(feed: Feed, { id, last_message_at: at }: Conversation): Messages {
  const [items, setItems] = useState<readonly Message[]>([]);
  const [state, setState] = useState<{ readonly isRead: boolean; readonly error?: unknown }>({
    isRead: false,
  });
  const [tries, setTries] = useState(0);
  const cursor = useRef<string>(undefined);
  const reading = useRef(Promise.resolve());
  useEffect(() => {
    const read = async () => {
      let last: Message | undefined;
      for (;;) {
        const place = cursor.current ? { cursor: cursor.current } : {};
        const body = { hostId: feed.hostId, conversationId: id, limit: 100, ...place };
        const { items: page, nextCursor } = await call('listMessages', body);
        last = page.at(-1) ?? last;
        setItems(known => [...known, ...page.filter(each => isLater(each, known.at(-1)))]);
        // The last page is read again by the next refresh: it is the one that grows.
        if (!nextCursor) break;
        cursor.current = nextCursor;
      }
      setState({ isRead: true });
      if (last) feed.lastMessages.keep(id, { at, message: last, cursor: cursor.current });
    };
    reading.current = reading.current.then(read).catch(error => setState({ isRead: true, error }));
  }, [at, tries]);
  return { items, ...state, error: state.error, retry: () => setTries(tries + 1) };
}

/** A later message of a conversation has a higher id. */
function isLater({ messageId }: Message, last: Message | undefined): boolean {
  return !last || Number(messageId) > Number(last.messageId);
}
