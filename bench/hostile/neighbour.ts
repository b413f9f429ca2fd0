import { setTimeout as delay } from 'node:timers/promises';
import { PUBLIC, SVC } from '../../queues/operations/paths.ts';
import type { Reply } from './target.ts';

export interface Waits {
  readonly call: number;
  readonly turn: number;
  /** Answers of 500 and above, of 408, and none at all. */
  readonly failed: number;
}

const PAUSE_MS = 15;

/** What another tenant waited for, one cheap call and one turn after the other, until the work was done. */
export async function neighbourOf(
  work: () => Promise<unknown>,
  call: (path: string, body: unknown) => Promise<Reply>,
  hostId: string,
): Promise<Waits> {
  const worst = { call: 0, turn: 0, failed: 0 };
  const ended = new AbortController();
  const note = (kind: 'call' | 'turn', { ms, status }: Reply) => {
    worst[kind] = Math.max(worst[kind], ms);
    if (status === 0 || status === 408 || status >= 500) worst.failed += 1;
  };
  const loop = async (kind: 'call' | 'turn', ask: () => Promise<Reply>) => {
    while (!ended.signal.aborted) {
      note(kind, await ask());
      await delay(PAUSE_MS);
    }
  };
  const conversation = () => call(`${PUBLIC}/createConversationId`, { hostId, hostSlug: 'neighbour' });
  const turn = async () => {
    const { conversationId } = ((await conversation()).data ?? {}) as { conversationId?: string };
    return call(SVC, { hostId, conversationId, question: 'Qual é o horário da secretaria?' });
  };
  const loops = [loop('call', conversation), loop('turn', turn)];
  await work();
  ended.abort();
  await Promise.all(loops);
  return worst;
}
