import { signal } from '@preact/signals';
import { type Conversation, isWaiting } from './conversation.ts';

/* Until when the conversations were seen in this browser. */

const MAX_KEPT = 1_000;

interface Seen {
  /** When this browser first showed the conversations: what was before is not new. */
  readonly since: string;
  /** The time of the last message that was seen, by conversation. */
  readonly until: Readonly<Record<string, string>>;
}

const keyOf = (hostId: string) => `parley-seen:${hostId}`;
const seen = signal<Seen>({ since: '', until: {} });
let key = '';

export function readSeen(hostId: string): void {
  key = keyOf(hostId);
  try {
    const stored = JSON.parse(localStorage.getItem(key) ?? 'null');
    seen.value = stored ?? { since: new Date().toISOString(), until: {} };
  } catch {
    seen.value = { since: new Date().toISOString(), until: {} };
  }
  store();
}

/** Undefined for a conversation that was not opened since it is known here. */
export const seenUntil = (id: string): string | undefined => seen.value.until[id];

export function isUnread(conversation: Conversation): boolean {
  const until = seenUntil(conversation.id);
  return conversation.last_message_at > (until ?? seen.value.since) || (isWaiting(conversation) && !until);
}

export function markSeen({ id, last_message_at }: Conversation): void {
  const { since, until } = seen.peek();
  if ((until[id] ?? '') >= last_message_at) return;
  // The newest is the last one.
  const { [id]: _, ...others } = until;
  const kept = Object.entries(others).slice(1 - MAX_KEPT);
  seen.value = { since, until: { ...Object.fromEntries(kept), [id]: last_message_at } };
  store();
}

function store(): void {
  try {
    localStorage.setItem(key, JSON.stringify(seen.peek()));
  } catch {
    // The storage is full: a reload shows more as new.
  }
}
