import { randomBytes, randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { Db } from '../db/connection.ts';
import { insertConversation } from '../db/conversations/conversations.ts';
import { claimTurn, finishTurn } from '../db/conversations/turns.ts';
import { aggregateReportDeltas } from '../db/reports/report-aggregation.ts';
import { withHost } from '../db/with-hosts.ts';
import { makeHost, startDatabase } from './database.bench.ts';
import { atOnce } from './stores.bench.ts';

/*
 * The cost of the daily counts for the writes of a turn, its claim and its answer: with and without their triggers
 * and index, in alternating rounds, and the cost of folding.
 */

const { values } = parseArgs({
  options: { turns: { type: 'string', default: '1000' }, rounds: { type: 'string', default: '7' } },
});
const turns = Number(values.turns);
const { db, stop } = await startDatabase({ max: 8, answerWithinMs: 600_000 });
const hostId = await makeHost(db);

const times = { with: [] as number[], without: [] as number[], fold: [] as number[] };
await round(db);
for (let nth = 0; nth < Number(values.rounds); nth++) {
  await keepCounts(db, nth % 2 === 0);
  times[nth % 2 === 0 ? 'with' : 'without'].push(await round(db));
  await keepCounts(db, nth % 2 === 1);
  times[nth % 2 === 1 ? 'with' : 'without'].push(await round(db));
  const startedAt = performance.now();
  const folded = await aggregateReportDeltas(db);
  times.fold.push((performance.now() - startedAt) / (folded / 3));
}
const [counted, bare] = [medianOf(times.with), medianOf(times.without)];
console.log(`${turns} turns a round, 8 at a time: claim and answer of a turn, median of the rounds`);
console.log(`  without counts ${bare.toFixed(3)} ms, with counts ${counted.toFixed(3)} ms a turn`);
console.log(
  `  ${((counted / bare - 1) * 100).toFixed(1)} % more; folding takes ${medianOf(times.fold).toFixed(3)} ms a turn`,
);
await stop();

/** Milliseconds per turn. */
async function round(on: Db): Promise<number> {
  const conversations = await withHost(on, hostId, async scope => {
    const made: string[] = [];
    for (let nth = 0; nth < turns / 5; nth++) made.push(await insertConversation(scope));
    return made;
  });
  const { perSecond } = await atOnce(turns, 8, at =>
    turn(on, conversations[at % conversations.length] ?? ''),
  );
  return 1_000 / perSecond;
}

async function turn(on: Db, conversationId: string): Promise<void> {
  const turnId = `k${randomBytes(16).toString('hex')}`;
  const claim = { turnId, conversationId, arrivedAt: Date.now(), remainingMs: () => 60_000, leaseMs: 60_000 };
  const question = `Qual é o horário da secretaria? ${randomUUID()}`;
  const claimed = await withHost(on, hostId, scope => claimTurn(scope, { ...claim, question }));
  if (claimed.kind !== 'claimed') return;
  const { attempt } = claimed;
  const answered = {
    turnId,
    attempt,
    answer: 'Das 8h às 21h.'.repeat(10),
    tokens: [],
    receipt: { model: 'bench' },
  };
  await withHost(on, hostId, scope => finishTurn(scope, answered));
}

async function keepCounts(on: Db, isKept: boolean): Promise<void> {
  const verb = isKept ? 'enable' : 'disable';
  await on.raw(
    `alter table messages ${verb} trigger mark_service; alter table messages ${verb} trigger note_messages`,
  );
  await on.raw('drop index if exists messages_of_reports, services_of_reports');
  if (isKept) {
    await on.raw(
      'create index messages_of_reports on messages (host_id, created_at) include (author, opens_service) where not rehearsal',
    );
    await on.raw(
      'create index services_of_reports on messages (host_id, conversation_id) where opens_service',
    );
  }
  const others = 'messages_host_id_created_at_author_opens_service_idx, messages_host_id_conversation_id_idx';
  await on.raw(`drop index if exists ${others}`);
}

function medianOf(sizes: readonly number[]): number {
  return sizes.toSorted((a, b) => a - b)[Math.floor(sizes.length / 2)] ?? Number.NaN;
}
