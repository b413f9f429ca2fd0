import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../db/connection.ts';
import { upsertWebhook } from '../db/events/webhooks.ts';
import { withHost } from '../db/with-hosts.ts';
import { type Receiver, startReceiver } from '../test/support/receiver.ts';
import { addEvent } from '../workers/runtime/add-event.ts';
import { addSecret, makeSecret, makeWebhookSeal } from '../workers/tools/webhook-secrets.ts';
import { SECRET_KEY } from './database.bench.ts';

/** A receiver with its webhook, and how long each event took to arrive, in milliseconds. */
export interface Told {
  readonly receiver: Receiver;
  readonly hostId: string;
  /** Delays the answers from now on. */
  answerAfter(ms: number): void;
  /** Times when each event arrived, by its turn. */
  readonly arrivals: Map<string, number>;
  readonly lags: number[];
}

export async function makeTold(db: Db, hostId: string): Promise<Told> {
  const receiver = await startReceiver();
  let answerAfterMs = 0;
  const told = {
    receiver,
    hostId,
    answerAfter: (ms: number) => void (answerAfterMs = ms),
    arrivals: new Map<string, number>(),
    lags: [] as number[],
  };
  receiver.script(({ body, at }, response) => {
    const turnId = String(body.data['turnId']);
    told.arrivals.set(turnId, (told.arrivals.get(turnId) ?? 0) + 1);
    if (told.arrivals.get(turnId) === 1) told.lags.push(at - Date.parse(body.timestamp));
    // Copies of many events would fill the memory.
    receiver.received.length = 0;
    const answer = () => void response.writeHead(204).end();
    if (answerAfterMs === 0) answer();
    else setTimeout(answer, answerAfterMs);
  });
  await saveWebhook(db, hostId, randomUUID(), receiver.url);
  return told;
}

export async function saveWebhook(db: Db, hostId: string, id: string, url: string): Promise<void> {
  const secrets = await addSecret(makeWebhookSeal(SECRET_KEY), id, makeSecret(), []);
  const { origin } = new URL(url);
  const events = ['turn.answered'];
  await withHost(db, hostId, scope =>
    upsertWebhook(scope, { id, name: 'bench', url, origin, events, enabled: true, secrets }),
  );
}

/** Commits this many events a second, from the hosts in turn, and returns their turns. */
export async function tell(
  db: Db,
  hostIds: readonly string[],
  count: number,
  perSecond: number,
): Promise<string[]> {
  const startedAt = performance.now();
  const turns: string[] = [];
  const commits: Promise<void>[] = [];
  while (turns.length < count) {
    const due = Math.min(Math.ceil(((performance.now() - startedAt) * perSecond) / 1_000), count);
    while (turns.length < due) {
      const turnId = `k${randomUUID().replaceAll('-', '')}`;
      commits.push(tellOne(db, hostIds[turns.length % hostIds.length] ?? '', turnId));
      turns.push(turnId);
    }
    await delay(5);
  }
  await Promise.all(commits);
  return turns;
}

function tellOne(db: Db, hostId: string, turnId: string): Promise<void> {
  const data = { turnId, conversationId: randomUUID(), askHumanHelp: false };
  return withHost(db, hostId, scope => addEvent(scope, { type: 'turn.answered', data }));
}

export async function waitUntil(isSo: () => boolean | Promise<boolean>, limitMs: number): Promise<boolean> {
  const giveUpAt = performance.now() + limitMs;
  while (performance.now() < giveUpAt) {
    if (await isSo()) return true;
    await delay(100);
  }
  return false;
}
