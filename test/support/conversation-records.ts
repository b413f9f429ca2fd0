import type { Db } from '../../db/connection.ts';
import { eventually } from './eventually.ts';

export interface MessageRecord {
  readonly author: string;
  readonly content: string;
  readonly turn_id: string | null;
}

export interface TurnRecord {
  readonly id: string;
  readonly state: 'waiting' | 'running' | 'answered' | 'unanswered';
  readonly attempt: number;
  readonly arrived_at: Date;
  readonly question: string | null;
  readonly tokens: { model: string; tokens: number }[];
  readonly receipt: Record<string, unknown> | null;
}

/** The stored messages of a conversation, oldest first. */
export async function recordsOf(
  db: Db,
  conversationId: string,
): Promise<{ turns: TurnRecord[]; said: MessageRecord[]; replies: number }> {
  const turns = await db<TurnRecord>('turns')
    .where('conversation_id', conversationId)
    .orderBy(['arrived_at', 'id']);
  const said = await db<MessageRecord>('messages').where('conversation_id', conversationId).orderBy('seq');
  const ids = turns.map(turn => turn.id);
  const replies = await db('replies').whereIn('job_id', ids);
  return { turns, said, replies: replies.length };
}

/** The same once none of its turns waits or runs. */
export function endedRecordsOf(db: Db, conversationId: string): ReturnType<typeof recordsOf> {
  const isOver = ({ state }: TurnRecord) => state === 'answered' || state === 'unanswered';
  return eventually(
    () => recordsOf(db, conversationId),
    ({ turns }) => turns.every(isOver),
  );
}

/** `user: Oi?`, `assistant: Olá!` */
export async function listMessageTexts(db: Db, conversationId: string): Promise<string[]> {
  const { said } = await recordsOf(db, conversationId);
  return said.map(({ author, content }) => `${author}: ${content}`);
}
