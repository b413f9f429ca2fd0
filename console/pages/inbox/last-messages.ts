import { signal } from '@preact/signals';
import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { call } from '../../service.ts';
import type { Conversation } from './conversation.ts';

export type Message = DataOf<'listMessages'>['items'][number];

interface LastMessage {
  /** The `last_message_at` of the conversation for which it was read. */
  readonly at: string;
  /** Undefined in a conversation without messages. */
  readonly message: Message | undefined;
  /** Of the last page, which is the one that grows. */
  readonly cursor?: string | undefined;
}

const MAX_AT_ONCE = 3;

/** The last message of each conversation whose row is in sight; those that come into sight last are read first. */
export class LastMessages {
  readonly known = signal<ReadonlyMap<string, LastMessage>>(new Map());
  readonly #hostId: string;
  readonly #wanted = new Map<string, Conversation>();
  #running = 0;

  constructor(hostId: string) {
    this.#hostId = hostId;
  }

  /** Reads it unless it is known; returns what withdraws the wish. */
  want(conversation: Conversation): () => void {
    const { id, last_message_at } = conversation;
    if (this.known.peek().get(id)?.at !== last_message_at) {
      this.#wanted.set(id, conversation);
      // Rows that are only scrolled past are withdrawn before.
      setTimeout(() => void this.#readWanted());
    }
    return () => this.#wanted.delete(id);
  }

  keep(id: string, last: LastMessage): void {
    this.known.value = new Map([...this.known.peek(), [id, last]]);
  }

  async #readWanted(): Promise<void> {
    const next = [...this.#wanted.values()].at(-1);
    if (!next || this.#running >= MAX_AT_ONCE) return;
    this.#wanted.delete(next.id);
    this.#running += 1;
    // Without it, the row shows the topic.
    await this.#read(next).catch(() => undefined);
    this.#running -= 1;
    void this.#readWanted();
  }

  async #read({ id, last_message_at: at }: Conversation): Promise<void> {
    const known = this.known.peek().get(id);
    let { cursor, message } = known ?? {};
    for (;;) {
      const body = { hostId: this.#hostId, conversationId: id, limit: 100, ...(cursor ? { cursor } : {}) };
      const { items, nextCursor } = await call('listMessages', body);
      message = items.at(-1) ?? message;
      if (!nextCursor) break;
      cursor = nextCursor;
    }
    this.keep(id, { at, message, cursor });
  }
}
