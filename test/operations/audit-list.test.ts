import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { describeEntry } from '../../console/pages/settings/audit-words.ts';
import { expectWrong } from '../support/contract.ts';
import type { Fields } from '../support/operation-calls.ts';
import { type CallOptions, openService } from '../support/service.ts';
import { runIn } from '../support/statements.ts';

describe('the list of changes', () => {
  const service = openService();
  const { demo, db } = service;

  const list = (body: Fields = {}, options: CallOptions = {}) => demo.call('listAudit', body, options);
  const newest = async (limit = 1): Promise<Fields[]> => (await list({ limit })).body.data.items;
  const count = () => db('audit_entries').count();
  const edit = (change: Fields, options: CallOptions = {}) =>
    demo.call('editAvatar', { avatar_id: demo.avatarId, ...change }, options);

  it('says when who changed what, with the columns that differ before and after', async () => {
    const token = await service.makeToken({ hostIds: [demo.hostId], name: 'console' });
    const row = await db('tokens').where({ name: 'console' }).first('id');
    await edit({ avatar_name: 'Eva', prompt_envelop: 'Oi' });
    const since = Date.now();
    expect((await edit({ avatar_name: 'Rosa', prompt_envelop: 'Oi' }, { token })).status).to.equal(200);
    const [{ auditId, createdAt, ...entry } = {}] = await newest();
    expect(auditId).to.match(/^\d+$/);
    expect(Date.parse(createdAt as string)).to.be.within(since - 1, Date.now() + 1);
    expect(entry).to.deep.equal({
      actorKind: 'token',
      tokenId: row.id,
      personId: null,
      actorName: 'console',
      operation: 'editAvatar',
      table: 'avatars',
      rowId: demo.avatarId,
      rowName: 'Rosa',
      before: { name: 'Eva' },
      after: { name: 'Rosa' },
    });
  });

  it('says whom somebody disabled or gave another role, and what was changed without its name', async () => {
    const person = { name: 'Rui Costa', email: 'rui@horizonte.example', role: 'agent' };
    const { personId: id } = (await demo.call('savePerson', person)).body.data;
    await demo.call('savePerson', { id, role: 'manager' });
    await demo.call('savePerson', { id, disabled: true });
    await edit({ prompt_envelop: 'Fale pouco.' });
    const entries = await newest(3);
    const said = entries.map(entry => describeEntry({ ...entry, actorName: 'Bia' } as never));
    const avatar = (await db('avatars').where({ id: demo.avatarId }).first()).name;
    expect(said).to.deep.equal([
      `Bia mudou o assistente “${avatar}”`,
      'Bia mudou a pessoa “Rui Costa”',
      'Bia mudou a pessoa “Rui Costa”',
    ]);
    expect(Object.keys(entries[1]?.['after'] as Fields)).to.have.members(['disabled', 'sessions_ended_at']);
    expect(entries[2]?.['after']).to.deep.equal({ role: 'manager' });
  });

  it('takes a name of a token as it is, whatever stands in it', async () => {
    const name = String.raw`O'Brien \' "x"; drop table hosts; -- ${'\u0001'}é$1 ? \? \\?`;
    const token = await service.makeToken({ hostIds: [demo.hostId], name });
    expect((await edit({ avatar_name: `Ana ${name.length}` }, { token })).status).to.equal(200);
    expect((await newest())[0]).to.include({ actorName: name });
  });

  it('has a new row without a before, and cuts what is long', async () => {
    const prompt_envelop = `${'é'.repeat(1_999)}€${'x'.repeat(100)}`;
    const body = { sub_slug: 'longa', avatar_name: 'Longa', prompt_envelop };
    const { data } = (await demo.call('createSubAvatar', body)).body;
    const [entry] = await newest();
    expect(entry).to.include({ table: 'avatars', rowId: data.avatar_id, before: null });
    expect(entry?.['after']).to.deep.equal({
      id: data.avatar_id,
      deleted: false,
      sub_slug: 'longa',
      name: 'Longa',
      picture: '',
      prompt_envelop: prompt_envelop.slice(0, 2_000),
      language: 'pt-BR',
      on_unsupported: 'pass',
      on_failure: 'error',
      failure_text: '',
      answer_in_audio: false,
      rewrite: false,
      answer_mode: 'model',
    });
  });

  it('has no row for what changes nothing, what is refused and what is rolled back', async () => {
    await edit({ avatar_name: 'Bia' });
    const before = await count();
    await edit({ avatar_name: 'Bia', avatar_picture: '' });
    expect((await edit({ avatar_id: randomUUID() })).status).to.equal(409);
    // The dataset is inserted before the avatar is missed.
    const dataset = { datasetName: 'Manual', avatarIds: [randomUUID()] };
    expect((await demo.call('createDataset', dataset)).status).to.equal(404);
    expect((await service.ask('Qual é o prazo?')).status).to.equal(200);
    expect(await count()).to.deep.equal(before);
  });

  it('never has what is secret in an MCP configuration, encrypted or not', async () => {
    const config = {
      url: 'https://mcp.example/hidden-path?key=hidden-query',
      headers: { Authorization: 'hidden-header' },
    };
    const { data } = (await demo.call('saveMcpConfig', { avatarId: demo.avatarId, name: 'x', config })).body;
    const changed = { ...config, headers: { Authorization: 'hidden-too' } };
    await demo.call('saveMcpConfig', { id: data.mcpId, config: changed });
    const [second, first] = await newest(2);
    expect(first?.['after']).to.deep.include({
      config: { url: 'https://mcp.example/***' },
      sealed_headers: { Authorization: '***' },
    });
    expect(second).to.deep.include({
      before: { sealed_headers: { Authorization: '***' } },
      after: { sealed_headers: { Authorization: '***' } },
    });
    const { sealed_headers } = await db('mcp_configs').where({ id: data.mcpId }).first();
    const text = JSON.stringify(await db('audit_entries').select());
    expect(text).to.not.include('hidden').and.not.include(sealed_headers.Authorization);
    expect(text).to.not.match(/"(hash|search|last_used_at)":/);
  });

  it('names the database user where a statement was not the service’s, and nobody for the use of a token', async () => {
    await db('avatars').where({ id: demo.avatarId }).update({ name: 'À mão' });
    const { rows } = await db.raw('select session_user::text as "user"');
    const [entry] = await newest();
    expect(entry).to.include({ actorKind: 'database', actorName: rows[0].user, operation: 'update' });
    const before = await count();
    await db('tokens').update({ last_used_at: null });
    await list();
    expect(await count()).to.deep.equal(before);
  });

  it('shows each token its own hosts, and no row of another', async () => {
    const acme = service.acme.hostId;
    const domain = await service.makeToken({ hostIds: [demo.hostId, acme] });
    const own = new Set(await db('audit_entries').where({ host_id: demo.hostId }).pluck('id'));
    expect(await db('audit_entries').where({ host_id: acme })).to.not.deep.equal([]);
    const headers = { 'x-choosen-host-id': demo.hostId };
    for (const options of [{}, { token: domain, headers }, { token: service.operatorToken, headers }]) {
      const { items } = (await list({ limit: 100 }, options)).body.data;
      expect(items.map(({ auditId }: Fields) => own.has(auditId))).to.not.include(false);
    }
  });

  it('is written by nobody but the triggers', async () => {
    for (const statement of [
      'delete from audit_entries',
      `update audit_entries set operation = 'x'`,
      `insert into audit_entries (host_id, actor_kind, actor_name, operation, table_name, row_id)
       values ('${demo.hostId}', 'token', 'x', 'x', 'x', 'x')`,
      'select note_change()',
    ]) {
      const refused = demo.inHost(({ tx }) => runIn(tx, statement));
      expect(await refused.catch(error => error.code), statement).to.be.oneOf(['42501', '0A000']);
    }
  });

  it('is of the operation and the time that are asked for', async () => {
    const { data } = (await list({ operation: 'editAvatar', limit: 100 })).body;
    const operations = new Set(data.items.map(({ operation }: Fields) => operation));
    expect([...operations]).to.deep.equal(['editAvatar']);
    const [last, , third] = data.items;
    const asked = { operation: 'editAvatar', since: third.createdAt, until: last.createdAt };
    const { items } = (await list(asked)).body.data;
    expect(items.at(-1)).to.deep.equal(third);
    expect(items.map(({ auditId }: Fields) => auditId)).to.not.include(last.auditId);
    expect((await list({ until: '2000-01-01' })).body.data).to.deep.equal({ items: [], nextCursor: null });
    for (const wrong of [{ since: '2026-02-30' }, { until: 'yesterday' }, { limit: 0 }, { limit: 101 }])
      expectWrong(await list(wrong), Object.keys(wrong));
  });

  it('is told in words on the console, whatever table it is about', async () => {
    const triggers = db('pg_trigger').join('pg_proc', 'pg_proc.oid', 'tgfoid');
    const tables = await triggers
      .where({ proname: 'note_change' })
      .distinct(db.raw('tgrelid::regclass::text as "table"'));
    expect(tables).to.deep.include({ table: 'people' });
    for (const { table } of tables) {
      const entry = { actorName: 'Ana', table, before: null, after: {} };
      expect(describeEntry(entry as never)).to.not.equal(`Ana criou ${table}`);
    }
  });
});
