import { expect } from 'chai';
import { expectRefused, expectWrong } from '../support/contract.ts';
import type { Fields } from '../support/operation-calls.ts';
import { openService } from '../support/service.ts';

describe('mappings over HTTP', () => {
  const service = openService();
  const { db, demo } = service;
  const operator = () => ({ token: service.operatorToken });

  const save = (body: Fields) => demo.call('saveMapping', { kind: 'objects', ...body }, operator());
  const saved = async (body: Fields) => {
    const { status, body: answer } = await save(body);
    expect(status, JSON.stringify(answer)).to.equal(200);
    return answer.data;
  };
  const attempt = (record: object, body: Fields = {}) =>
    demo.call('tryMapping', { kind: 'objects', record, ...body }, operator());
  const tried = async (record: object, body: Fields = {}) => (await attempt(record, body)).body.data;
  const listed = async (body: Fields = {}) => (await demo.call('listMappings', body, operator())).body.data;
  const stored = () => db('crm_mappings').where({ host_id: demo.hostId });
  const fields = { cod: 'external_id', mail: 'email', nome: 'firstname' };
  const object = { cod: 7, mail: 'ana@example.com', turno: 'noite' };

  it('are tried without writing, and map the next record once they are saved', async () => {
    expectRefused(await attempt(object), 'mapping-not-agreed');
    const mapping = { target: 'lead', fields, required: ['cod', 'nome'] };
    const [one, ...none] = await tried(object, mapping);
    expect(none).to.deep.equal([]);
    expect(one.fields).to.deep.equal([
      { field: 'cod', to: 'external_id' },
      { field: 'mail', to: 'email' },
      { field: 'turno', to: null },
    ]);
    expect(one.errors).to.deep.include({ path: 'nome', message: 'is required', rule: 'required' });
    expect(await stored()).to.deep.equal([]);
    const saving = { ...mapping, required: ['cod'] };
    expect(await saved(saving)).to.deep.equal({ hostId: demo.hostId, kind: 'objects', version: 1 });
    expect((await tried(object))[0].errors).to.deep.equal([]);
    expect((await demo.call('receiveObject', object)).status).to.equal(200);
    const [entry] = await db('audit_entries').where({ table_name: 'crm_mappings', host_id: demo.hostId });
    expect(entry).to.include({ operation: 'saveMapping', actor_kind: 'token', row_id: 'objects 1' });
  });

  it('are listed as they can be saved again, and the mappings of the specification as version 0', async () => {
    const all = await listed();
    expect(all.map(({ kind, version }: Fields) => [kind, version])).to.deep.equal([
      ['tickets', 0],
      ['deals', 0],
      ['objects', 1],
    ]);
    for (const { version: _, ...mapping } of all) await saved(mapping);
    const again = await listed();
    const withoutVersion = (mappings: Fields[]) => mappings.map(({ version: _, ...mapping }) => mapping);
    expect(withoutVersion(again)).to.deep.equal(withoutVersion(all));
    expect(await listed({ kind: 'objects' })).to.deep.equal([again[2]]);
  });

  it('begin with a preset, whose parts may be others, and map each record of a list', async () => {
    await saved({ preset: 'rdstation', required: ['uuid', ['email']] });
    expect((await listed({ kind: 'objects' }))[0]).to.deep.include({ required: [['uuid'], ['email']] });
    const leads = [
      { uuid: 'u1', email: 'a@b.br', funnel: { lifecycle_stage: 'Lead', name: 'x' } },
      { name: 'Bia' },
    ];
    const [first, second] = await tried({ event_type: 'e', leads });
    expect(first.fields).to.deep.equal([
      { field: 'uuid', to: 'external_id' },
      { field: 'email', to: 'email' },
      { field: 'funnel.lifecycle_stage', to: 'stage' },
      { field: 'funnel.name', to: null },
      { field: 'event_type', to: null },
    ]);
    expect(second.errors.map(({ path }: Fields) => path)).to.deep.equal(['uuid', 'email']);
    expect(await tried({ leads: Array.from({ length: 30 }, () => leads[0]) })).to.have.length(20);
  });

  it('give way to the specification again once they are deleted, and no version comes twice', async () => {
    const before = await stored();
    for (const kind of ['objects', 'tickets']) await saved({ kind, deleted: true });
    expect(await listed({ kind: 'objects' })).to.deep.equal([]);
    expect((await listed({ kind: 'tickets' }))[0]).to.include({ version: 0 });
    for (const record of [object, { leads: [{ uuid: 'u2' }, { uuid: 'u3' }] }])
      expect((await demo.call('receiveObject', record)).body.data).to.include({
        reason: 'mapping-not-agreed',
      });
    const versions = before.filter(({ kind }: Fields) => kind === 'objects').length;
    expect(await saved({ preset: 'hubspot' })).to.include({ version: versions + 2 });
  });

  it('are refused with the place of what is wrong, and nothing is stored', async () => {
    const before = await stored();
    for (const [field, body] of [
      ['required', { fields }],
      ['fields.cod', { target: 'lead', fields: { cod: 5 }, required: [] }],
      ['fields.cod.as', { target: 'lead', fields: { cod: { to: 'email', as: 'text' } }, required: [] }],
      ['fields.a', { target: 'lead', fields: { cod: 'external_id', a: 'nowhere' }, required: ['cod'] }],
      ['target', { fields, required: ['cod'] }],
      ['required[1]', { target: 'lead', fields, required: ['cod', 'z'] }],
      ['preset', { preset: 'nobody' }],
    ] as const)
      expectWrong(await save(body), field);
    expect(await stored()).to.deep.equal(before);
    const theirs = { hostId: service.acme.hostId, kind: 'objects', record: object };
    expectRefused(await service.acme.call('tryMapping', theirs, operator()), 'mapping-not-agreed');
  });
});
