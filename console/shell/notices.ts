import type { Attendant } from '../pages/inbox/conversation.ts';
import { readNotices } from '../service.ts';

/*
 * Notices of the service reach this tab while somebody sees it: browsers open few connections to one site, which hidden tabs
 * leave to the others.
 *
 *   hidden --seen--> connecting --ok--> open --lost--> waiting (1 s; longer each time) --> connecting
 */

const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 30_000;

/** A conversation was changed; `asked`: a question to it will be stored and answered. */
export interface Change {
  readonly conversationId: string;
  readonly kind: 'asked' | 'changed';
}

export interface Typing extends Attendant {
  readonly conversationId: string;
}

export interface NoticeReader {
  onOpen(): void;
  /** Later events are not told. */
  onLost(): void;
  onChange(change: Change): void;
  onTyping(typing: Typing): void;
}

/** Returns a function that stops it. */
export function followNotices(reader: NoticeReader): () => void {
  let over = new AbortController();
  const leave = () => {
    over.abort();
    reader.onLost();
  };
  const onVisible = () => {
    leave();
    over = new AbortController();
    if (!document.hidden) void keepReading(reader, over.signal);
  };
  document.addEventListener('visibilitychange', onVisible);
  onVisible();
  return () => {
    document.removeEventListener('visibilitychange', onVisible);
    leave();
  };
}

async function keepReading(reader: NoticeReader, over: AbortSignal): Promise<void> {
  let wait = FIRST_WAIT_MS;
  while (!over.aborted) {
    try {
      const notices = await readNotices(over);
      wait = FIRST_WAIT_MS;
      reader.onOpen();
      for await (const { event, data } of notices) {
        if (event === 'change') reader.onChange(data);
        if (event === 'typing') reader.onTyping(data);
      }
    } catch {
      // The polling of the conversations reports the problem.
    }
    if (over.aborted) return;
    reader.onLost();
    await new Promise(resolve => setTimeout(resolve, wait));
    wait = Math.min(MAX_WAIT_MS, 2 * wait);
  }
}
