import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { createHost, setHost } from '../../db/hosts/hosts.ts';
import { aggregateReportDeltas } from '../../db/reports/report-aggregation.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { type HostScope, withHost } from '../../db/with-hosts.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { instantOfLocalTime } from '../../workers/domain/time/instant.ts';
import { conversationalStats } from '../../workers/reports/conversational-stats.ts';
import { financialStats } from '../../workers/reports/financial-stats.ts';
import { makeGetKnowledgeGaps } from '../../workers/reports/get-knowledge-gaps.ts';
import { makeGetOutcomes } from '../../workers/reports/get-outcomes.ts';
import type { JobOf } from '../../workers/runtime/job.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';
import { runIn, table } from '../support/statements.ts';
import { clockAt, type PlainHost, type PlainMessage, plainReport } from './plain-report.ts';

const hour = 3_600_000;
/** Times of clock and calendar changes. */
const borders: Readonly<Record<string, readonly string[]>> = {
  'America/Sao_Paulo': ['2026-03-01T03:00Z', '2026-02-28T03:00Z', '2026-01-01T03:00Z', '2018-11-04T03:00Z'],
  'America/New_York': ['2026-03-08T07:00Z', '2026-11-01T06:00Z', '2026-04-01T04:00Z'],
  'Australia/Lord_Howe': ['2026-04-04T15:00Z', '2026-10-03T15:30Z', '2026-03-31T13:00Z'],
  'America/Havana': ['2026-03-08T05:00Z', '2026-11-01T05:00Z'],
  'Asia/Kolkata': ['2026-02-28T18:30Z', '2026-12-31T18:30Z'],
};
/** Open every other hour, so that every hour is a border. */
const everySecond = Array.from({ length: 11 }, (_, nth) => {
  const clock = (at: number) => `${String(at).padStart(2, '0')}:00`;
  return { days: [1, 2, 3, 5, 6, 7], from: clock(2 * nth), to: clock(2 * nth + 1) };
});
const hours = [
  everySecond,
  [
    { days: [1, 2, 3, 4, 5], from: '08:00', to: '18:00' },
    { days: [6], from: '08:00', to: '12:00' },
  ],
  [
    { days: [1, 2, 3, 4, 5, 6, 7], from: '01:15', to: '02:30' },
    { days: [7], from: '02:00', to: '23:59' },
  ],
  [],
];

interface DataSet {
  readonly host: PlainHost;
  /** The initial time zone, corrected after all messages are written. */
  readonly zoneBefore: string;
  readonly messages: readonly PlainMessage[];
  readonly foldAfter: readonly number[];
  readonly start: number;
  readonly end: number;
}

const dataSets = fc.constantFrom(...Object.keys(borders)).chain(timeZone => {
  const near = fc
    .tuple(
      fc.constantFrom(...(borders[timeZone] ?? [])),
      // Clocks and opening hours change at quarters of an hour.
      fc.integer({ min: -160, max: 160 }),
      fc.constantFrom(0, 0, -1),
    )
    .map(([border, quarters, minutes]) => Date.parse(border) + (quarters * 15 + minutes) * 60_000);
  const message = fc.record({
    conversation: fc.nat(3),
    at: near,
    author: fc.constantFrom(
      'user' as const,
      'user' as const,
      'assistant' as const,
      'human' as const,
      'system' as const,
    ),
    reopens: fc.nat(5).map(dice => dice === 0),
  });
  const midnight = near.map(at =>
    instantOfLocalTime(Date.parse(`${clockAt(at, timeZone).date}T00:00Z`), timeZone),
  );
  return fc.record({
    host: fc.record({
      timeZone: fc.constant(timeZone),
      hours: fc.constantFrom(...hours),
      platforms: fc.array(fc.constantFrom('api', 'whatsapp', 'site'), { minLength: 4, maxLength: 4 }),
    }),
    zoneBefore: fc.constantFrom(timeZone, timeZone, 'Europe/Lisbon'),
    messages: fc.array(message, { minLength: 1, maxLength: 40 }),
    foldAfter: fc.array(fc.nat(40), { maxLength: 2 }),
    start: fc.oneof(near, midnight),
    end: fc.oneof(near, midnight),
  });
});

describe('a report', () => {
  const database = openOnce(makeDatabase);

  it('says what a plain look at all messages says, wherever days, months and clocks change', async () => {
    await fc.assert(
      fc.asyncProperty(dataSets, async sample => {
        const { host } = sample;
        const data = { ...sample, messages: ordered(sample.messages), ...inOrder(sample) };
        const hostId = await store(database, data);
        const expected = plainReport(data.messages, host, data);
        const stats = await statsOf(database, hostId, data);
        expect(simplified(stats, host.timeZone)).to.deep.equal(expected);
        expectSums(stats);
        const costs = await costsOf(database, hostId, data);
        expect(
          costs.history_days.map(({ dia, total_conversations }) => [dia, total_conversations]),
        ).to.deep.equal(stats.history_days.map(({ dia, total_conversations }) => [dia, total_conversations]));
      }),
      { numRuns: process.env['RUNS'] ? 50 : 15 },
    );
  });

  it('is right at any moment, while others write and what they wrote is folded', async () => {
    const { db } = database;
    const slug = `h${randomBytes(6).toString('hex')}`;
    const hostId = (await createHost(db, { slug, name: slug }))?.id ?? '';
    const [conversationId = ''] = await withHost(db, hostId, scope => insertConversations(scope, 1));
    const at = Date.parse('2026-03-02T15:00Z');
    const total = async () =>
      (await statsOf(database, hostId, { start: at - 24 * hour, end: at + 24 * hour })).total_messages;
    const written = 60;
    const done = new AbortController();
    const write = async () => {
      for (let nth = 0; nth < written / 3; nth++)
        await withHost(db, hostId, ({ tx }) =>
          runIn(
            tx,
            table('messages').insert({
              host_id: hostId,
              conversation_id: conversationId,
              author: 'human',
              content: 'x',
              created_at: new Date(at),
            }),
          ),
        );
    };
    const follow = async () => {
      for (let before = 0; !done.signal.aborted; ) {
        const now = await total();
        expect(now).to.be.within(before, written);
        before = now;
      }
    };
    const fold = async () => {
      while (!done.signal.aborted) await aggregateReportDeltas(db);
    };
    const others = Promise.all([follow(), fold(), fold()]);
    await Promise.all([write(), write(), write()]);
    done.abort();
    await others;
    expect(await total()).to.equal(written);
    await aggregateReportDeltas(db);
    expect(await total()).to.equal(written);
  });

  it('has its counts folded by one process at a time: another leaves all to it', async () => {
    const { db } = database;
    const slug = `h${randomBytes(6).toString('hex')}`;
    const host_id = (await createHost(db, { slug, name: slug }))?.id ?? '';
    const [conversation_id] = await withHost(db, host_id, scope => insertConversations(scope, 1));
    await db('messages').insert({ host_id, conversation_id, author: 'user', content: 'x' });
    const deltas = async () => (await db('report_deltas').where({ host_id })).length;
    const written = await deltas();
    const meanwhile = await db.transaction(async folding => {
      await folding.raw(`select pg_advisory_xact_lock(hashtext('parley report folding'))`);
      return [await aggregateReportDeltas(db), await deltas()];
    });
    expect(meanwhile).to.deep.equal([0, written]);
    expect(await aggregateReportDeltas(db)).to.be.at.least(1);
    expect(await deltas()).to.equal(0);
  });

  it('is read from one snapshot, whichever report it is', async () => {
    const { db } = database;
    const slug = `h${randomBytes(6).toString('hex')}`;
    const hostId = (await createHost(db, { slug, name: slug }))?.id ?? '';
    const [conversation_id] = await withHost(db, hostId, scope => insertConversations(scope, 1));
    await db('messages').insert({ host_id: hostId, conversation_id, author: 'user', content: 'x' });
    const handlers = {
      conversationalStats,
      financialStats,
      getOutcomes: makeGetOutcomes(db),
      getKnowledgeGaps: makeGetKnowledgeGaps(db, () => {}),
    };
    for (const [name, handler] of Object.entries(handlers)) {
      let isolation: unknown;
      const read: JobOf<'conversationalStats'>['read'] = work =>
        withHost(db, hostId, async scope => {
          const outcome = await work(scope);
          const [level] = await rowsOf<{ is: string }>(
            scope.tx,
          )`select current_setting('transaction_isolation') as is`;
          isolation = level?.is;
          return outcome;
        });
      const body = { startDate: '2026-03-01', endDate: '2026-04-01' };
      const { code } = await handler({ body, hostId, read } as never);
      expect([name, code, isolation]).to.deep.equal([name, 200, 'repeatable read']);
    }
  });
});

/** A conversation's messages are stored in chronological order. */
function ordered(messages: readonly PlainMessage[]): PlainMessage[] {
  return messages
    .map(message => ({ ...message, reopens: message.reopens && message.author === 'user' }))
    .toSorted((a, b) => a.at - b.at);
}

function inOrder({ start, end }: DataSet) {
  const [first, last] = [Math.min(start, end), Math.max(start, end)];
  return { start: first, end: Math.min(last === first ? last + hour : last, first + 4 * 365 * 24 * hour) };
}

async function store(
  { db }: TestDatabase,
  { host, zoneBefore, messages, foldAfter }: DataSet,
): Promise<string> {
  const slug = `h${randomBytes(6).toString('hex')}`;
  const made = await createHost(db, { slug, name: slug, timeZone: zoneBefore, businessHours: host.hours });
  const hostId = made?.id ?? '';
  const conversations = await withHost(db, hostId, scope =>
    insertConversations(scope, host.platforms.length),
  );
  for (const [at, { conversation, author, reopens, at: time }] of messages.entries()) {
    await withHost(db, hostId, ({ tx }) =>
      runIn(
        tx,
        table('messages').insert({
          host_id: hostId,
          conversation_id: conversations[conversation],
          author,
          content: 'x',
          reopens,
          created_at: new Date(time),
        }),
      ),
    );
    if (foldAfter.includes(at)) await aggregateReportDeltas(db);
  }
  // The platform is set later, as the `globalData` of a turn may do.
  for (const [at, platform] of host.platforms.entries())
    await withHost(db, hostId, ({ tx }) =>
      runIn(
        tx,
        table('conversations')
          .where({ id: conversations[at] ?? '' })
          .update({ platform }),
      ),
    );
  if (zoneBefore !== host.timeZone) await setHost(db, slug, { timeZone: host.timeZone });
  return hostId;
}

async function insertConversations({ tx, hostId }: HostScope, count: number): Promise<string[]> {
  const rows = Array.from({ length: count }, () => ({ host_id: hostId }));
  return (await runIn(tx, table('conversations').insert(rows).returning('id'))).map(({ id }) => id);
}

async function statsOf(database: TestDatabase, hostId: string, period: Pick<DataSet, 'start' | 'end'>) {
  const outcome = await conversationalStats(jobOf<'conversationalStats'>(database, hostId, period));
  return (outcome as { data: DataOf<'conversationalStats'> })
    .data[0] as DataOf<'conversationalStats'>[number];
}

async function costsOf(database: TestDatabase, hostId: string, period: DataSet) {
  const outcome = await financialStats(jobOf<'financialStats'>(database, hostId, period));
  return (outcome as { data: DataOf<'financialStats'> }).data[0] as DataOf<'financialStats'>[number];
}

function jobOf<N extends 'conversationalStats' | 'financialStats'>(
  { db }: TestDatabase,
  hostId: string,
  { start, end }: Pick<DataSet, 'start' | 'end'>,
) {
  const body = { startDate: new Date(start).toISOString(), endDate: new Date(end).toISOString() };
  const read: JobOf<'financialStats'>['read'] = work => withHost(db, hostId, work);
  return { body, read } as unknown as JobOf<N>;
}

function simplified(stats: DataOf<'conversationalStats'>[number], timeZone: string) {
  const days = stats.history_days
    .filter(day => day.total_conversations !== '0' || day.total_messages !== '0')
    .map(day => [
      clockAt(Date.parse(day.dia), timeZone).date,
      [Number(day.total_conversations), Number(day.total_messages)],
    ]);
  return {
    services: stats.total_services,
    messages: stats.total_messages,
    byUser: stats.total_messages_received_by_user,
    byAssistant: stats.total_messages_sent_by_avatar,
    byHuman: stats.total_messages_responder_manager,
    servicesAfterHours: stats.total_services_after_hours,
    messagesAfterHours: stats.total_messages_after_hours,
    channels: Object.fromEntries(
      stats.services_by_channels.map(each => [each.platform, each.total_services]),
    ),
    days: Object.fromEntries(days),
  };
}

function expectSums(stats: DataOf<'conversationalStats'>[number]): void {
  const sum = (values: readonly string[]) => values.reduce((total, value) => total + Number(value), 0);
  for (const series of [stats.history_days, stats.history_months]) {
    expect(sum(series.map(each => each.total_conversations))).to.equal(stats.total_services);
    expect(sum(series.map(each => each.total_messages))).to.equal(stats.total_messages);
    expect(sum(series.map(each => each.total_tickets))).to.equal(stats.total_tickets);
  }
  expect(sum(stats.services_by_channels.map(each => each.total_services))).to.equal(stats.total_services);
}
