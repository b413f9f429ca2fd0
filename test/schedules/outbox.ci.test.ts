import { expect } from 'chai';
import * as fc from 'fast-check';
import type { Db } from '../../db/connection.ts';
import { createHost } from '../../db/hosts/hosts.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { claimEvents, releaseEvents, type SearchEvent } from '../../db/search/outbox.ts';
import { makeLog } from '../../platform/log.ts';
import { Batcher } from '../../workers/indexer/batcher.ts';
import { flushBatch } from '../../workers/indexer/flush.ts';
import { limitsOf } from '../../workers/indexer/pipeline-limits.ts';
import { assertDefined } from '../support/assert-defined.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';
import { insertRecord } from '../support/searched-records.ts';
import { type Actor, bugsOf, itInEveryOrder, mayDie, Stage } from './schedules.ts';

/*
 * Writers that change tickets and their contact, and relays that claim the lines of the outbox and index their records; some die. A
 * relay that has just become the leader first releases what others have claimed, even if they live on.
 */

const FILE = 'test/schedules/outbox.ci.test.ts';
const TICKETS = 2;

interface Work {
  readonly does: 'write' | 'rename' | 'relay' | 'lead';
  readonly ticket: number;
  /** A writer has several changes in its transaction, a relay claims so often before it takes a batch. */
  readonly times: number;
  readonly diesAt: number | null;
}

const work: fc.Arbitrary<Work> = fc.record({
  does: fc.constantFrom('write', 'rename', 'rename', 'relay', 'relay', 'lead'),
  ticket: fc.nat(TICKETS - 1),
  times: fc.integer({ min: 1, max: 2 }),
  diesAt: mayDie(9),
});
const world = fc.array(work, { minLength: 2, maxLength: 4, size: 'max' });

const bugs = bugsOf({
  'a line is deleted by its claim': [
    /update search_outbox outbox set claimed_at = clock_timestamp\(\)\s+from locked/,
    'delete from search_outbox outbox using locked',
  ],
  'lines that came meanwhile are deleted with those that were indexed': [
    /delete from search_outbox where seq = any \((\$\d+)::bigint\[\]\)/,
    'delete from search_outbox where origin_id in (select origin_id from search_outbox where seq = any ($1::bigint[]))',
  ],
  'a new leader does not release what another had claimed': ['where claimed_at is not null', 'where false'],
  'a line is claimed without its lock': [
    'and claimed_at is null for update skip locked',
    'and claimed_at is null',
  ],
  'a change leaves its line to one that may be claimed before it commits': [
    'for update of event skip locked',
    '',
  ],
  'a change leaves its line to one that was claimed': [
    'where event.claimed_at is null and event.not_before is null',
    'where event.not_before is null',
  ],
});

class Claims {
  readonly #held = new Set<string>();

  note(events: readonly SearchEvent[]): void {
    for (const { seq } of events) {
      if (this.#held.has(seq)) throw new Error(`line ${seq} was claimed by two`);
      this.#held.add(seq);
    }
  }

  release(): void {
    this.#held.clear();
  }
}

describe('the outbox of the search, in every order of the statements', () => {
  const database = openOnce(makeDatabase);
  let hostId: string;
  let contactId: string;
  let ticketIds: string[];
  before(async () => {
    const { db } = database;
    hostId = assertDefined(await createHost(db, { slug: 'shop', name: 'Shop' })).id;
    const [contact] = await rowsOf<{ id: string }>(db)`
      insert into contacts (host_id, name, email) values (${hostId}, 'Ana', 'ana@example.com') returning id`;
    contactId = assertDefined(contact).id;
    ticketIds = [];
    for (let at = 0; at < TICKETS; at += 1)
      ticketIds.push(await insertRecord(db, hostId, 'tickets', { subject: 't', contact_id: contactId }));
  });

  async function play(stage: Stage, works: readonly Work[], choices: readonly number[]): Promise<void> {
    const { db } = stage;
    await rowsOf(db)`delete from search_outbox`;
    // Each ticket has a line that waits.
    await rowsOf(db)`delete from search_records`;
    await rowsOf(db)`update tickets set subject = 'before'`;
    const claims = new Claims();
    const parts = works.map((work, at) => ({
      diesAt: work.diesAt,
      play: (actor: Actor) => take(actor.db, work, `by ${at + 1}`, claims),
    }));
    await stage.play(parts, choices, async () => {
      expect(await listStale(db, false), 'stale records without a line').to.eql([]);
      for (let round = 1; round <= 2; round += 1)
        await take(db, { does: 'lead', ticket: 0, times: 1, diesAt: null }, 'the last', claims);
      expect(await listStale(db, true), 'stale records').to.eql([]);
      expect(await rowsOf(db)`select seq from search_outbox`, 'lines').to.eql([]);
    });
  }

  async function take(db: Db, { does, ticket, times }: Work, name: string, claims: Claims): Promise<void> {
    if (does === 'lead' || does === 'relay') return relay(db, does === 'lead', times, claims);
    await db.transaction(async tx => {
      for (let at = 1; at <= times; at += 1)
        await (does === 'write'
          ? rowsOf(tx)`update tickets set subject = ${`${name}, ${at}`} where id = ${ticketIds[ticket] ?? ''}`
          : rowsOf(tx)`update contacts set name = ${`${name}, ${at}`} where id = ${contactId}`);
    });
  }

  itInEveryOrder('leave no record stale without a line, and lose none, whatever dies and whoever leads', {
    file: FILE,
    database,
    world,
    bugs,
    play,
  });
});

/** As workers/indexer/relay.ts does, but for the channel. */
async function relay(db: Db, isNewLeader: boolean, claimsFirst: number, claims: Claims): Promise<void> {
  const log = makeLog('test', 'silent');
  const limits = { ...limitsOf.production, flushMs: 0, backOffMs: 1 };
  const stop = new AbortController().signal;
  if (isNewLeader) {
    // Its effect is at its commit, which is a point.
    await db.transaction(tx => releaseEvents(tx));
    claims.release();
  }
  const batcher = new Batcher<SearchEvent>(limits);
  for (let at = 0; at < claimsFirst; at += 1) {
    const events = await db.transaction(tx => claimEvents(tx, 10));
    claims.note(events);
    batcher.add(events, 0);
  }
  for (let batch = batcher.take(1); batch; batch = batcher.take(1))
    await flushBatch(batch, { db, limits, stop, log });
}

/** The tickets whose entry in the index is another than it should be. */
async function listStale(db: Db, isAlsoWithLine: boolean): Promise<string[]> {
  const stale = await rowsOf<{ title: string }>(db)`
    select source.title from tickets_to_search source
    left join search_records record on record.host_id = source.host_id and record.origin_id = source.origin_id
    where record.hash is distinct from source.hash
      and (${isAlsoWithLine} or not exists (
        select from search_outbox line where line.host_id = source.host_id and line.origin_id = source.origin_id))`;
  return stale.map(({ title }) => title);
}
