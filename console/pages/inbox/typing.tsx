import { signal } from '@preact/signals';
import { sendTyping } from '../../service.ts';
import type { Typing } from '../../shell/notices.ts';
import { readPerson, readPersonName } from '../../shell/person-name.ts';
import { type Attendant, isSame } from './conversation.ts';

/* Shows which colleagues write to which conversation, for a few seconds after each notice. */

const SHOWN_MS = 6_000;
const TELL_EVERY_MS = 3_000;

interface Typist extends Typing {
  readonly timer: ReturnType<typeof setTimeout>;
}

const typists = signal<readonly Typist[]>([]);
/** When this page last told of it, by conversation. */
const toldAt = new Map<string, number>();

export function showTyping(typing: Typing): void {
  const { conversationId } = typing;
  hideTyping(conversationId, typing);
  const timer = setTimeout(() => hideTyping(conversationId, typing), SHOWN_MS);
  typists.value = [...typists.peek(), { ...typing, timer }];
}

/** The message that they wrote has come; without a writer, hides everybody. */
export function hideTyping(conversationId: string, writer?: Attendant): void {
  const isOver = (each: Typist) =>
    each.conversationId === conversationId && (writer === undefined || isSame(each, writer));
  const over = typists.peek().filter(isOver);
  if (over.length === 0) return;
  for (const { timer } of over) clearTimeout(timer);
  typists.value = typists.peek().filter(each => !isOver(each));
}

/** Tells colleagues now and then. A person who has given no name yet is not announced. */
export function tellTyping(conversationId: string): void {
  const name = readPersonName();
  const now = Date.now();
  if (!name || now - (toldAt.get(conversationId) ?? 0) < TELL_EVERY_MS) return;
  toldAt.set(conversationId, now);
  void sendTyping({ conversationId, name }).catch(() => undefined);
}

export function TypingLine({ conversationId }: { readonly conversationId: string }) {
  // The same person may have the conversation open elsewhere, too.
  const names = typists.value
    .filter(each => each.conversationId === conversationId && !isSame(each, readPerson()))
    .map(({ name }) => name);
  return (
    <p class="small typing" role="status">
      {names.length > 0 && `${names.join(' e ')} ${names.length > 1 ? 'estão' : 'está'} escrevendo…`}
    </p>
  );
}
