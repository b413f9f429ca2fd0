import { expect } from 'chai';
import { attendants } from '../../db/migrations/0110-attendants.ts';
import { firstAnswers } from '../../db/migrations/0111-first-answers.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';

describe('who attended before people were stored', () => {
  const { db } = openOnce(() => makeDatabase('seeded'));

  it('is the only person of the name in the host, also of several names; a name of two stays a name', async () => {
    const [{ id: host_id }, { id: other }] = await db('hosts').limit(2);
    const add = async (name: string, host = host_id) => {
      const person = { host_id: host, name, email: `${Math.random()}@a.example`, role: 'agent' };
      return (await db('people').insert(person).returning('id'))[0].id as string;
    };
    const [bia, caio] = [await add('Lima, Bia'), await add('Caio')];
    for (const host of [host_id, host_id, other]) await add('Rui', host);
    await add('Ana', other);
    await db.raw(`alter table conversations drop column assigned_person_ids, drop column help_closed_at;
      alter table messages drop column person_id, drop column help_asked_at`);
    const begin = async (assigned_to: string | null, help_asked_at: string | null = null) =>
      (await db('conversations').insert({ host_id, assigned_to, help_asked_at }).returning('id'))[0]
        .id as string;
    const names = ['Caio', 'Caio, Lima Bia', 'Caio, Rui', 'Rui', 'Ana', null];
    const ids = await Promise.all(names.map(name => begin(name)));
    const asked = await begin(null, '2026-10-02T12:00:00Z');
    const write = (name: string, at: string, author = 'human') =>
      db('messages').insert({ host_id, conversation_id: asked, author, name, content: 'x', created_at: at });
    await write('Caio', '2026-10-01T12:00:00Z');
    await write('Caio', '2026-10-02T12:00:30Z', 'user');
    await write('Lima, Bia', '2026-10-02T12:01:00Z');
    await write('Rui', '2026-10-02T12:02:00Z');
    await db.raw(attendants);
    await db.raw(firstAnswers);
    const assigned = await Promise.all(
      ids.map(id => db('conversations').where({ id }).pluck('assigned_person_ids')),
    );
    expect(assigned.flat()).to.deep.equal([[caio], [caio, bia], [], [], [], []]);
    const messages = await db('messages').where({ conversation_id: asked }).orderBy('seq');
    expect(messages.map(({ person_id }) => person_id)).to.deep.equal([caio, null, bia, null]);
    expect(messages.map(({ help_asked_at: at }) => at?.toISOString() ?? null)).to.deep.equal([
      null,
      null,
      '2026-10-02T12:00:00.000Z',
      null,
    ]);
  });
});
