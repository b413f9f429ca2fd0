import { randomBytes, randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { insertConversation } from '../db/conversations/conversations.ts';
import { claimTurn, finishTurn } from '../db/conversations/turns.ts';
import { withHost } from '../db/with-hosts.ts';
import { addEvent } from '../workers/runtime/add-event.ts';
import { makeHost, startDatabase } from './database.bench.ts';
import { saveWebhook } from './delivery-parts.bench.ts';
import { atOnce } from './stores.bench.ts';

/*
 * The cost of an event for the writes of a turn, its claim and its answer: without events, for a host without webhooks, and
 * for one whose webhook wants the event, in alternating rounds. Nothing is delivered.
 */

const { values } = parseArgs({
  options: { turns: { type: 'string', default: '400' }, rounds: { type: 'string', default: '7' } },
});
const turns = Number(values.turns);
const { db, stop } = await startDatabase({ max: 8, answerWithinMs: 600_000 });
const hostId = await makeHost(db);
const kinds = ['without events', 'no webhook', 'a webhook'] as const;
const times = new Map<string, number[]>(kinds.map(kind => [kind, []]));
await round('a webhook');
for (let nth = 0; nth < Number(values.rounds); nth++)
  for (let at = 0; at < kinds.length; at++) {
    const kind = kinds[(nth + at) % kinds.length] ?? 'no webhook';
    times.get(kind)?.push(await round(kind));
  }
const medianOf = (kind: string) => {
  const all = (times.get(kind) ?? []).toSorted((a, b) => a - b);
  return all[Math.floor(all.length / 2)] ?? Number.NaN;
};
const plain = medianOf('without events');
console.log(
  `${turns} turns a round, 8 at a time: claim and answer of a turn, median of ${values.rounds} rounds`,
);
for (const kind of kinds)
  console.log(
    `  ${kind.padEnd(15)} ${medianOf(kind).toFixed(3)} ms a turn, ${((plain / medianOf(kind)) * 100).toFixed(1)} % of the speed`,
  );
await stop();

/** Milliseconds per turn. */
async function round(kind: (typeof kinds)[number]): Promise<number> {
  await db('webhooks').delete();
  if (kind === 'a webhook') await saveWebhook(db, hostId, randomUUID(), 'https://crm.example/');
  const conversations = await withHost(db, hostId, async scope => {
    const made: string[] = [];
    for (let nth = 0; nth < turns / 5; nth++) made.push(await insertConversation(scope));
    return made;
  });
  const { perSecond } = await atOnce(turns, 8, at =>
    turn(conversations[at % conversations.length] ?? '', kind !== 'without events'),
  );
  return 1_000 / perSecond;
}

async function turn(conversationId: string, tells: boolean): Promise<void> {
  const turnId = `k${randomBytes(16).toString('hex')}`;
  const claim = { turnId, conversationId, arrivedAt: Date.now(), remainingMs: () => 60_000, leaseMs: 60_000 };
  const question = `Qual é o horário da secretaria? ${randomUUID()}`;
  const claimed = await withHost(db, hostId, scope => claimTurn(scope, { ...claim, question }));
  if (claimed.kind !== 'claimed') throw new Error(`The turn is ${claimed.kind}.`);
  const answered = { turnId, attempt: claimed.attempt, answer: 'Das 8h às 21h.'.repeat(10), tokens: [] };
  await withHost(db, hostId, async scope => {
    await finishTurn(scope, { ...answered, receipt: { model: 'bench' } });
    const data = { turnId, conversationId, askHumanHelp: false };
    if (tells) await addEvent(scope, { type: 'turn.answered', data });
  });
}
