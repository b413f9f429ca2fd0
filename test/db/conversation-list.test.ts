import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Knex } from 'knex';
import {
  type ConversationFilter,
  type ConversationPlace,
  type ListedConversation,
  listConversations,
} from '../../db/conversations/conversation-list.ts';
import { insertConversation, setConversation } from '../../db/conversations/conversations.ts';
import { appendMessage } from '../../db/conversations/messages.ts';
import { buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';

const MINUTE = 60_000;
const isLong = Boolean(process.env['RUNS']);

describe('the list of conversations', () => {
  const { db } = openOnce(makeDatabase);
  const host = openOnce(() => buildHost(db));
  before(async () => {
    const other = await buildHost(db);
    await other.inHost(scope => insertConversation(scope));
  });
  beforeEach(() => db('conversations').where({ host_id: host.hostId }).delete());

  const { inHost } = host;
  const read = (filter: ConversationFilter, limit: number, after?: ConversationPlace) =>
    inHost(scope => listConversations(scope, filter, { limit, after }));
  const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

  /** All pages; `between` runs after each one. */
  async function walk(
    filter: ConversationFilter,
    limit: number,
    between: (page: number) => Promise<void> = async () => {},
  ): Promise<ListedConversation[]> {
    const seen: ListedConversation[] = [];
    for (let page = 0; ; page += 1) {
      const rows = await read(filter, limit, seen.at(-1)?.place);
      seen.push(...rows);
      if (rows.length < limit) return seen;
      await between(page);
    }
  }

  /** Makes conversations, each with a message so many milliseconds ago. */
  async function make(
    ...wanted: readonly (readonly [agoMs: number, columns?: Record<string, unknown>])[]
  ): Promise<string[]> {
    const now = Date.now();
    const times = wanted.map(([agoMs]) => new Date(now - agoMs));
    const rows = wanted.map(([, columns], nth) => {
      const at = times[nth];
      return { host_id: host.hostId, created_at: at, updated_at: at, last_message_at: at, ...columns };
    });
    const ids: string[] = (await db('conversations').insert(rows).returning('id')).map(({ id }) => id);
    const message = { host_id: host.hostId, author: 'user', content: 'Oi' };
    await db('messages').insert(
      ids.map((id, nth) => ({ ...message, conversation_id: id, created_at: times[nth] })),
    );
    return ids;
  }
  const say = (tx: Knex.Transaction, conversationId: string) =>
    appendMessage({ tx, hostId: host.hostId }, { conversationId, author: 'user', content: 'Voltei' });
  const newest = async () =>
    db('conversations')
      .where({ host_id: host.hostId })
      .orderByRaw('coalesce(last_message_at, created_at) desc, id desc')
      .pluck('id');

  const agos = fc.array(fc.constantFrom(0, 5_000, 59_000, 61_000, 5 * MINUTE, 3 * 60 * MINUTE), {
    minLength: 4,
    maxLength: 14,
  });
  const nth = fc.nat(1_000);
  const write = fc.record({ kind: fc.constantFrom('message', 'change', 'commit', 'new'), nth });

  it('has each conversation that was there once, in its order, whatever is written meanwhile', async () => {
    const property = fc.asyncProperty(
      agos,
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.array(write, { maxLength: 4 }), { minLength: 1, maxLength: 6 }),
      fc.array(nth, { maxLength: 3 }),
      async (times, limit, writes, running) => {
        await db('conversations').where({ host_id: host.hostId }).delete();
        const ids = await make(...times.map(ago => [ago] as const));
        const at = (index: number) => ids[index % ids.length] ?? '';
        // Their messages are stored before the list begins, and committed while it is read.
        const open: Knex.Transaction[] = [];
        for (const id of new Set(running.map(at))) {
          const tx = await db.transaction();
          await say(tx, id);
          open.push(tx);
        }
        const locked = new Set(running.map(at));
        const known = await newest();
        const seen = await walk({}, limit, async page => {
          for (const { kind, nth: index } of writes[page % writes.length] ?? []) {
            if (kind === 'new') ids.push(await inHost(scope => insertConversation(scope)));
            else if (kind === 'commit') {
              await open.pop()?.commit();
              if (open.length === 0) locked.clear();
            } else if (!locked.has(at(index))) {
              if (kind === 'message') await db.transaction(tx => say(tx, at(index)));
              else await inHost(scope => setConversation(scope, at(index), { archived: true }));
            }
          }
        });
        for (const tx of open) await tx.commit();
        expect(idsOf(seen).filter(id => known.includes(id))).to.deep.equal(known);
        expect(new Set(idsOf(seen)).size).to.equal(seen.length);
      },
    );
    await fc.assert(property, { numRuns: isLong ? 60 : 20 });
  });

  it('has one of many messages where the last one before the list stood', async () => {
    const [first, many = '', other] = await make([0], [30 * MINUTE], [8 * MINUTE]);
    const times = Array.from({ length: 24 }, (_, nth) => new Date(Date.now() - (29 - nth) * MINUTE));
    const message = { host_id: host.hostId, conversation_id: many, author: 'user', content: 'Oi' };
    for (const created_at of times) await db('messages').insert({ ...message, created_at });
    await db('conversations')
      .where({ id: many })
      .update({ last_message_at: times.at(-1) });
    const seen = await walk({}, 1, async () => db.transaction(tx => say(tx, many)).then(() => {}));
    expect(idsOf(seen)).to.deep.equal([first, many, other]);
  });

  it('has those that its filters take, and no others, newest first', async () => {
    const flag = fc.boolean();
    const [bia, rui, team] = [randomUUID(), randomUUID(), randomUUID()];
    const row = fc.record({
      ago: fc.constantFrom(1_000, 5 * MINUTE, 11 * MINUTE, 90 * MINUTE),
      changedAgo: fc.constantFrom(0, 1_000, 6 * MINUTE, 200 * MINUTE),
      ask_human_help: flag,
      closed: flag,
      archived: flag,
      platform: fc.constantFrom('api', 'whatsapp'),
      assigned_to: fc.constantFrom(null, 'Bia', 'Rui'),
      assigned_person_ids: fc.constantFrom<string[][]>([], [bia], [rui, bia]),
      contact_id: fc.constantFrom(null, host.contactId),
      team_id: fc.constantFrom(null, team),
      labels: fc.constantFrom<string[][]>([], ['Boleto'], ['Bolsa', 'Boleto']),
    });
    const all = fc.record({
      askHumanHelp: flag,
      closed: flag,
      archived: flag,
      platform: fc.constantFrom('api', 'whatsapp', 'site'),
      assignedTo: fc.constantFrom('Bia', 'Ana'),
      assignedPersonId: fc.constantFrom(bia, rui),
      contactId: fc.constant(host.contactId),
      teamId: fc.constantFrom(team, randomUUID()),
      label: fc.constantFrom('Boleto', 'Bolsa'),
      since: fc.constantFrom(2_000, 7 * MINUTE, 30 * MINUTE, 1_000 * MINUTE),
    });
    type Filters = Partial<typeof all extends fc.Arbitrary<infer T> ? T : never>;
    const flags = ['askHumanHelp', 'closed', 'archived'] as const;
    const of = ['platform', 'assignedTo', 'assignedPersonId', 'contactId', 'teamId', 'label'] as const;
    const names = [...flags, ...of, 'since'] as const;
    // One or two at a time: more take hardly any.
    const filters = fc
      .tuple(all, fc.shuffledSubarray([...names], { maxLength: 2 }))
      .map(([values, chosen]): Filters => Object.fromEntries(chosen.map(name => [name, values[name]])));
    const property = fc.asyncProperty(
      fc.array(row, { minLength: 4, maxLength: 12 }),
      filters,
      fc.integer({ min: 1, max: 6 }),
      async (rows, { since, ...filter }, limit) => {
        await db('conversations').where({ host_id: host.hostId }).delete();
        const now = Date.now();
        const ids = await make(
          ...rows.map(
            ({ ago, changedAgo, ...columns }) =>
              [ago, { ...columns, updated_at: new Date(now - changedAgo) }] as const,
          ),
        );
        const made = rows.map((each, nth) => {
          const changedAt = now - Math.min(each.ago, each.changedAgo);
          return { id: ids[nth] ?? '', changedAt, ...each };
        });
        const isTaken = (each: (typeof made)[number]) =>
          (!filter.assignedPersonId || each.assigned_person_ids.includes(filter.assignedPersonId)) &&
          (!filter.label || each.labels.includes(filter.label)) &&
          [
            [filter.askHumanHelp, each.ask_human_help],
            [filter.closed, each.closed],
            [filter.archived, each.archived],
            [filter.platform, each.platform],
            [filter.assignedTo, each.assigned_to],
            [filter.contactId, each.contact_id],
            [filter.teamId, each.team_id],
          ].every(([wanted, has]) => wanted === undefined || wanted === has) &&
          (since === undefined || each.changedAt >= now - since);
        const taken = new Set(made.filter(isTaken).map(({ id }) => id));
        const expected = (await newest()).filter(id => taken.has(id));
        const updatedSince = since === undefined ? undefined : new Date(now - since);
        expect(idsOf(await walk({ ...filter, updatedSince }, limit))).to.deep.equal(expected);
      },
    );
    await fc.assert(property, { numRuns: isLong ? 150 : 50 });
  });

  it('has the time of a message to the microsecond, and ids where times are the same', async () => {
    const at = '2026-03-02T14:05:09.120';
    for (const micros of ['001', '002', '002', '003'])
      await make([0, { last_message_at: db.raw(`'${at}${micros}Z'::timestamptz`) }]);
    for (const limit of [1, 2, 3]) expect(idsOf(await walk({}, limit))).to.deep.equal(await newest());
  });

  it('has one without a message only while it waits for an answer, in its place', async () => {
    const at = (agoMs: number, unanswered_at: Date | null = null) => {
      const moment = new Date(Date.now() - agoMs);
      return { host_id: host.hostId, created_at: moment, updated_at: moment, unanswered_at };
    };
    await make([0], [3 * MINUTE], [9 * MINUTE]);
    const waiting = [MINUTE, MINUTE / 2, 5 * MINUTE].map(ago => at(ago, new Date()));
    await db('conversations').insert(waiting);
    const listed = await newest();
    await db('conversations').insert([at(0), at(2 * MINUTE)]);
    for (const limit of [1, 2, 10]) expect(idsOf(await walk({}, limit))).to.deep.equal(listed);
  });

  it('has the name of the contact, and where the conversation stands', async () => {
    await make([0, { contact_id: host.contactId }], [MINUTE]);
    const { name } = await db('contacts').where({ id: host.contactId }).first();
    expect((await read({}, 5)).map(({ contact_name }) => contact_name)).to.deep.equal([name, '']);
  });
});
