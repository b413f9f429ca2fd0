import { listMessageTexts, recordsOf, type TurnRecord } from './conversation-records.ts';
import { openEach } from './opened.ts';
import type { ApiResponse, CallOptions, Fields } from './operation-calls.ts';
import type { ModelRequest } from './scripted-model.ts';
import type { Turn } from './served-host.ts';
import type { Service } from './service.ts';

/** A turn, and what the model was asked since it was sent. */
export interface AskedTurn extends Turn {
  readonly requests: readonly ModelRequest[];
}

/** A conversation of the demo host. */
export interface Conversation {
  readonly id: string;
  ask(question: string | undefined, more?: Fields, options?: CallOptions): Promise<AskedTurn>;
  /** Its messages, as `user: Oi?`. */
  said(): Promise<string[]>;
  turns(): Promise<TurnRecord[]>;
  /** The states of its turns, in the order in which they came. */
  states(): Promise<string[]>;
  row(): Promise<ApiResponse['body']>;
  /** Begins a new one in its place. */
  restart(): Promise<void>;
}

/** A conversation that each test has anew; all its turns are asked with these fields, too. */
export function openConversation({ db, model, demo }: Service, usual: Fields = {}): Conversation {
  return openEach(async () => {
    const conversation = {
      id: await demo.newConversation(),
      async ask(question: string | undefined, more: Fields = {}, options?: CallOptions) {
        const from = model.requests.length;
        const fields = { conversationId: conversation.id, ...usual, ...more };
        const turn = await demo.ask(question, fields, options);
        return { ...turn, requests: model.requests.slice(from) };
      },
      said: () => listMessageTexts(db, conversation.id),
      turns: async () => (await recordsOf(db, conversation.id)).turns,
      states: async () => (await conversation.turns()).map(({ state }) => state),
      row: () => db('conversations').where({ id: conversation.id }).first(),
      async restart() {
        conversation.id = await demo.newConversation();
      },
    };
    return conversation;
  });
}
