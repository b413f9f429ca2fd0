import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { PUBLIC, SVC } from '../../queues/contract/operations/paths.ts';
import type { Fork } from '../stores.bench.ts';
import type { Reply } from './target.bench.ts';

/** The longest waits, in milliseconds. */
export interface Waits {
  readonly call: number;
  readonly turn: number;
  /** The waits of all turns. */
  readonly turns: readonly number[];
  /** Answers of 500 and above, 408, and missing ones. */
  readonly failed: number;
}

const PAUSE_MS = 15;

/** Alternates a cheap call and a turn until it is stopped; then returns the delays. */
export function startCalling(
  call: (path: string, body: unknown) => Promise<Reply>,
  hostId: string,
): () => Promise<Waits> {
  const worst = { call: 0, turn: 0, failed: 0, turns: [] as number[] };
  const stopped = new AbortController();
  const note = (kind: 'call' | 'turn', { ms, status }: Reply) => {
    worst[kind] = Math.max(worst[kind], ms);
    if (kind === 'turn') worst.turns.push(ms);
    if (status === 0 || status === 408 || status >= 500) worst.failed += 1;
  };
  const loop = async (kind: 'call' | 'turn', ask: () => Promise<Reply>) => {
    while (!stopped.signal.aborted) {
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
  return async () => {
    stopped.abort();
    await Promise.all(loops);
    return worst;
  };
}

/** The waits of the neighbour, a separate process, while `work` runs. */
export async function waitsBeside(
  neighbour: Fork,
  port: number,
  work: () => Promise<unknown>,
): Promise<Waits> {
  neighbour.send({ port });
  await work();
  neighbour.send('stop');
  const [waits] = (await once(neighbour, 'message')) as [Waits];
  return waits;
}
