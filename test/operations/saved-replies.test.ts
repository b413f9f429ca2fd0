import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { withHost } from '../../db/with-hosts.ts';
import { SVC } from '../../queues/contract/operations/paths.ts';
import { openService } from '../support/service.ts';

describe('the prepared replies of a host', () => {
  const service = openService();
  const { demo } = service;
  let mine: string;
  let others: string;
  before(async () => {
    const grant = { hostIds: [demo.hostId], scopes: ['reason'] };
    [mine, others] = [await service.makeToken(grant), await service.makeToken(grant)];
  });
  afterEach(async () => {
    await service.db('saved_replies').delete();
  });

  const ask = (name: string, body: object, token: string, hostId = demo.hostId) =>
    service.call(`${SVC}/${name}`, { hostId, ...body }, { token });
  const save = (body: object, token = mine) => ask('saveSavedReplyHelper', body, token);
  const list = async (token = mine, hostId?: string) =>
    (await ask('savedRepliesListHelper', {}, token, hostId)).body.data;
  const reply = { name: 'Segunda via', text: 'Olá, {nome}! Segue o boleto.' };

  it('are those of all who attend: made by one, changed field by field and deleted by another', async () => {
    const { status, body } = await save(reply);
    expect(status, JSON.stringify(body)).to.equal(200);
    const { replyId, createdAt, ...data } = body.data;
    expect(data).to.deep.equal({ hostId: demo.hostId, ...reply, onlyMine: false });
    await save({ ...reply, name: 'boas-vindas' });
    expect((await list(others)).map(({ name }: { name: string }) => name)).to.deep.equal([
      'boas-vindas',
      'Segunda via',
    ]);
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
    const { hostId, token } = service.acme;
    expect(await list(token, hostId)).to.deep.equal([]);
    expect((await ask('saveSavedReplyHelper', { id: replyId, name: 'X' }, token, hostId)).status).to.equal(
      404,
    );
    expect((await save({ ...reply }, token)).status).to.equal(403);
    const seen = await withHost(service.db, hostId, ({ tx }) => tx('saved_replies').select());
    expect(seen).to.deep.equal([]);
  });

  it('need a name and a text, and what is wrong is named and stores nothing', async () => {
    const wrong: [object, string][] = [
      [{ text: reply.text }, 'name'],
      [{ name: reply.name }, 'text'],
      [{ ...reply, name: '' }, 'name'],
      [{ ...reply, text: 'x'.repeat(16_001) }, 'text'],
      [{ ...reply, onlyMine: 'yes' }, 'onlyMine'],
      [{ deleted: true }, 'name'],
    ];
    for (const [body, field] of wrong) {
      const { status, body: answer } = await save(body);
      expect([status, answer.data.fields[0].path], JSON.stringify(body).slice(0, 60)).to.deep.equal([
        400,
        field,
      ]);
    }
    expect(await list()).to.deep.equal([]);
  });

  it('are audited with who changed them, and without their text', async () => {
    const { replyId } = (await save({ ...reply, onlyMine: true })).body.data;
    await save({ id: replyId, text: 'Outra coisa' });
    const entries = await service
      .db('audit_entries')
      .where({ table_name: 'saved_replies', row_id: replyId })
      .orderBy('id');
    expect(entries.map(({ actor_kind, operation }) => [actor_kind, operation])).to.deep.equal([
      ['token', 'saveSavedReply'],
      ['token', 'saveSavedReply'],
    ]);
    expect(entries[1].after).to.deep.equal({ revision: 2 });
    expect(JSON.stringify(entries)).to.not.include('boleto');
  });

  it('are 1,000 a host at most', async () => {
    const { hostId } = demo;
    const full = Array.from({ length: 1_000 }, (_, at) => ({ host_id: hostId, name: `${at}`, text: 'x' }));
    await service.db('saved_replies').insert(full);
    expect((await save(reply)).status).to.equal(409);
    expect(await list()).to.have.length(1_000);
  });
});
