import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { expectWrong } from '../support/contract.ts';
import type { Fields } from '../support/operation-calls.ts';
import { openService } from '../support/service.ts';
import { runIn, table } from '../support/statements.ts';

describe('the prepared replies of a host', () => {
  const service = openService();
  const { demo, acme } = service;
  let mine: string;
  let others: string;
  before(async () => {
    const grant = { hostIds: [demo.hostId], scopes: ['reason'] };
    [mine, others] = [await service.makeToken(grant), await service.makeToken(grant)];
  });
  afterEach(() => service.db('saved_replies').delete());

  const save = (body: object, token = mine) => demo.call('saveSavedReply', body, { token });
  const list = async (token = mine) => (await demo.call('listSavedReplies', {}, { token })).body.data;
  const reply = { name: 'Segunda via', text: 'Olá, {nome}! Segue o boleto.' };

  it('are those of all who attend: made by one, changed field by field and deleted by another', async () => {
    const { status, body } = await save(reply);
    expect(status, JSON.stringify(body)).to.equal(200);
    const { replyId, createdAt, ...data } = body.data;
    expect(data).to.deep.equal({ hostId: demo.hostId, ...reply, onlyMine: false });
    await save({ ...reply, name: 'boas-vindas' });
    const names = (await list(others)).map(({ name }: Fields) => name);
    expect(names).to.deep.equal(['boas-vindas', 'Segunda via']);
    const changed = await save({ replyId, name: 'Boleto' }, others);
    expect(changed.body.data).to.deep.equal({ ...body.data, name: 'Boleto', createdAt });
    const gone = await save({ id: replyId, deleted: true }, others);
    expect(gone.body.data).to.deep.equal({ ...changed.body.data, deleted: true });
    expect((await save({ id: replyId, deleted: true })).status).to.equal(404);
    expect(await list()).to.have.length(1);
  });

  it('may be seen by who made them only: for a colleague they do not exist', async () => {
    const { replyId } = (await save({ ...reply, onlyMine: true })).body.data;
    expect(await list(others)).to.deep.equal([]);
    for (const change of [{ name: 'Outra' }, { onlyMine: false }, { deleted: true }]) {
      const { status, body } = await save({ id: replyId, ...change }, others);
      const unknown = await save({ id: randomUUID(), ...change }, others);
      expect([status, body.message]).to.deep.equal([404, unknown.body.message]);
    }
    expect((await list())[0]).to.include({ replyId, onlyMine: true });
    expect((await save({ id: replyId, onlyMine: false })).body.data.onlyMine).to.equal(false);
    expect((await list(others))[0]).to.include({ replyId, onlyMine: false });
  });

  it('are those of one host', async () => {
    const { replyId } = (await save(reply)).body.data;
    expect((await acme.call('listSavedReplies')).body.data).to.deep.equal([]);
    expect((await acme.call('saveSavedReply', { id: replyId, name: 'X' })).status).to.equal(404);
    expect((await save(reply, acme.token)).status).to.equal(403);
    expect(await acme.inHost(({ tx }) => runIn(tx, table('saved_replies').select()))).to.deep.equal([]);
  });

  it('need a name and a text, and what is wrong is named and stores nothing', async () => {
    const wrong: [object, string | string[]][] = [
      [{ text: reply.text }, 'name'],
      [{ name: reply.name }, 'text'],
      [{ ...reply, name: '' }, 'name'],
      [{ ...reply, text: 'x'.repeat(16_001) }, 'text'],
      [{ ...reply, onlyMine: 'yes' }, 'onlyMine'],
      [{ deleted: true }, ['name', 'text']],
    ];
    for (const [body, field] of wrong) expectWrong(await save(body), field);
    expect(await list()).to.deep.equal([]);
  });

  it('are audited with who changed them, and without their text', async () => {
    const { replyId } = (await save({ ...reply, onlyMine: true })).body.data;
    await save({ id: replyId, text: 'Outra coisa' });
    const row = { table_name: 'saved_replies', row_id: replyId };
    const entries = await service.db('audit_entries').where(row).orderBy('id');
    const acts = entries.map(({ actor_kind, operation }) => `${actor_kind} ${operation}`);
    expect(acts).to.deep.equal(Array(2).fill('token saveSavedReply'));
    expect(entries[1].after).to.deep.equal({ revision: 2 });
    expect(JSON.stringify(entries)).to.not.include('boleto');
  });

  it('are 1,000 a host at most', async () => {
    const host_id = demo.hostId;
    const full = Array.from({ length: 1_000 }, (_, at) => ({ host_id, name: `${at}`, text: 'x' }));
    await service.db('saved_replies').insert(full);
    expect((await save(reply)).status).to.equal(409);
    expect(await list()).to.have.length(1_000);
  });
});
