import { expect } from 'chai';
import * as fc from 'fast-check';
import { insertConversation, setConversation } from '../../db/conversations/conversations.ts';
import { appendMessage } from '../../db/conversations/messages.ts';
import { jsonOf, rowsOf, sql } from '../../db/rows-of.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';

const PLATFORMS = ['api', 'whatsapp', 'x'.repeat(150)];
const conversation = fc.nat(PLATFORMS.length - 1);
const message = fc.record({
  of: conversation,
  author: fc.constantFrom('user', 'user', 'assistant', 'human', 'system'),
  rehearsal: fc.boolean(),
  reopens: fc.boolean(),
});
const statement = fc.oneof(
  { weight: 3, arbitrary: fc.record({ inserted: fc.array(message, { maxLength: 6 }) }) },
  fc.record({ updated: conversation }),
  fc.record({ deleted: conversation }),
  fc.record({ deletedWithAll: conversation }),
);

type Statement = typeof statement extends fc.Arbitrary<infer Each> ? Each : never;

interface Written {
  readonly id: string;
  readonly author: string;
  readonly isCounted: boolean;
  readonly opens: boolean;
}

interface Notes {
  readonly indexed: readonly string[];
  readonly services: readonly string[];
  readonly counts: string[];
}

const NONE: Notes = { indexed: [], services: [], counts: [] };
const changes = (rows: readonly Written[]) => rows.map(({ id }) => `UPDATE ${id}`);
const distinct = (texts: readonly string[]) => [...new Set(texts)].toSorted();
const written = sql`conversation_id as id, author, author <> 'system' and not rehearsal as "isCounted", opens_service as opens`;

describe('messages that are written', () => {
  const { db } = openOnce(makeDatabase);
  const { inHost } = openOnce(() => buildHost(db));

  /** Runs the statement, and returns what it should leave. */
  async function run({ tx, hostId }: HostScope, ids: readonly string[], given: Statement): Promise<Notes> {
    if ('inserted' in given) {
      const rows = given.inserted.map(({ of, ...row }) => ({ ...row, id: ids[of] }));
      const inserted = await rowsOf<Written>(tx)`
        insert into messages (host_id, conversation_id, author, content, rehearsal, reopens)
        select ${hostId}, given.id, given.author, 'Olá', given.rehearsal, given.reopens
        from jsonb_to_recordset(${jsonOf(rows)}::jsonb) given (id uuid, author text, rehearsal boolean, reopens boolean)
        join conversations on conversations.host_id = ${hostId} and conversations.id = given.id
        returning ${written}`;
      const counted = inserted.filter(({ isCounted }) => isCounted);
      const opening = inserted.filter(({ opens }) => opens).map(({ id }) => PLATFORMS[ids.indexOf(id)] ?? '');
      return {
        indexed: changes(inserted),
        services: counted.map(({ id }) => id),
        counts: [
          ...counted.map(({ author }) => `${author}  1`),
          ...opening.map(platform => `service ${platform.slice(0, 100)} 1`),
        ],
      };
    }
    const id =
      ids['updated' in given ? given.updated : 'deleted' in given ? given.deleted : given.deletedWithAll];
    const ofConversation = sql`host_id = ${hostId} and conversation_id = ${id ?? ''}`;
    if ('updated' in given)
      return {
        ...NONE,
        indexed: changes(
          await rowsOf<Written>(
            tx,
          )`update messages set content = '' where ${ofConversation} returning ${written}`,
        ),
      };
    if ('deleted' in given)
      return {
        ...NONE,
        indexed: changes(
          await rowsOf<Written>(tx)`delete from messages where ${ofConversation} returning ${written}`,
        ),
      };
    const messages = await rowsOf<Written>(tx)`select ${written} from messages where ${ofConversation}`;
    const gone = await rowsOf(
      tx,
    )`delete from conversations where host_id = ${hostId} and id = ${id ?? ''} returning id`;
    return { ...NONE, indexed: [...changes(messages), ...gone.map(() => `DELETE ${id}`)] };
  }

  async function takeNotes({ tx, hostId }: HostScope): Promise<Notes> {
    const lines = await rowsOf<{ line: string }>(tx)`
      delete from search_outbox where host_id = ${hostId} returning operation || ' ' || origin_id as line`;
    const services = await rowsOf<{ id: string }>(tx)`
      delete from service_changes where host_id = ${hostId} returning conversation_id as id`;
    const deltas = await rowsOf<{ line: string }>(tx)`
      select kind || ' ' || platform || ' ' || amount as line from report_deltas where host_id = ${hostId}`;
    return {
      indexed: lines.map(({ line }) => line),
      services: services.map(({ id }) => id),
      counts: deltas.map(({ line }) => line),
    };
  }

  it('tell the index and the services of each conversation, and the reports of each message and service', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(statement, { minLength: 1, maxLength: 8 }), statements =>
        inHost(async scope => {
          const ids: string[] = [];
          for (const platform of PLATFORMS) ids.push(await insertConversation(scope, { platform }));
          const { counts } = await takeNotes(scope);
          for (const given of statements) {
            const expected = await run(scope, ids, given);
            const notes = await takeNotes(scope);
            expect(distinct(notes.indexed)).to.deep.equal(distinct(expected.indexed));
            if ('deletedWithAll' in given) continue;
            expect(distinct(notes.services)).to.deep.equal(distinct(expected.services));
            counts.push(...expected.counts);
            expect(notes.counts.toSorted()).to.deep.equal(counts.toSorted());
          }
        }),
      ),
      { numRuns: process.env['RUNS'] ? 100 : 20 },
    );
  });

  it('tell the index once of a conversation that changes with them, as does one that changes without', () =>
    inHost(async scope => {
      const conversationId = await insertConversation(scope, { platform: 'api' });
      await takeNotes(scope);
      const indexed = async () => (await takeNotes(scope)).indexed;
      for (const author of ['user', 'human'] as const) {
        await appendMessage(scope, { conversationId, author, content: 'Olá' });
        expect(await indexed(), author).to.deep.equal([`UPDATE ${conversationId}`]);
      }
      await setConversation(scope, conversationId, { closed: true });
      expect(await indexed()).to.deep.equal([`UPDATE ${conversationId}`]);
    }));
});
