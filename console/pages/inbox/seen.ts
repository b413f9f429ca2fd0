import { signal } from '@preact/signals';
import { readPerson } from '../../shell/person-name.ts';
import { type Conversation, isBy, isWaiting } from './conversation.ts';

/* This browser keeps until when a person has seen each conversation. */

const MAX_KEPT = 1_000;

interface Seen {
  /** When this browser first showed the conversations: older messages are not new. */
  readonly since: string;
  /** The time of the last message seen, by conversation. */
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

/** Undefined if the conversation was not opened here; empty if it was passed to the person since. */
export const seenUntil = (id: string): string | undefined => seen.value.until[id];

export function isUnread(conversation: Conversation): boolean {
  const { id, last_message: last, last_message_at } = conversation;
  const until = seenUntil(id);
  if (until === '') return true;
  const isOwn = last !== null && isBy(last, readPerson());
  return (!isOwn && last_message_at > (until ?? seen.value.since)) || (isWaiting(conversation) && !until);
}

/** Marks a conversation that was passed to the person, whatever they saw of it before. */
export const markUnseen = (id: string): void => keep(id, '');

export function markSeen({ id, last_message_at }: Conversation): void {
  if ((seen.peek().until[id] ?? '') < last_message_at) keep(id, last_message_at);
}

function keep(id: string, at: string): void {
  const { since, until } = seen.peek();
  // The newest entry is the last one.
  const { [id]: _, ...others } = until;
  const kept = Object.entries(others).slice(1 - MAX_KEPT);
  seen.value = { since, until: { ...Object.fromEntries(kept), [id]: at } };
  store();
}

function store(): void {
  try {
    localStorage.setItem(key, JSON.stringify(seen.peek()));
  } catch {
    // The storage is full: after a reload, more looks new.
  }
}
