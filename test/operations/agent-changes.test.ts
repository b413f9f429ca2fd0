import { expect } from 'chai';
import { expectRefused } from '../support/contract.ts';
import type { Fields } from '../support/operation-calls.ts';
import { call as callTool, rounds, say } from '../support/scripted-model.ts';
import { type CallOptions, openService } from '../support/service.ts';
import { readStoredRows } from '../support/stored-rows.ts';

const curso = { type: 'string', description: 'Curso' };
const schema = { type: 'object', required: ['curso'], properties: { curso } };

describe('agents over HTTP', () => {
  const service = openService();
  const { demo, model } = service;

  const save = (body: Fields, options: CallOptions = {}) => demo.call('saveAgent', body, options);
  const saved = async (body: Fields): Promise<Fields> => {
    const { status, body: answer } = await save(body);
    expect(status, JSON.stringify(answer)).to.equal(200);
    return answer.data;
  };
  const remove = (id: unknown, options: CallOptions = {}) => demo.call('deleteAgent', { id }, options);
  const listed = async (): Promise<{ agents: Fields[]; schemas: Fields[] }> =>
    (await demo.call('listAgents', {})).body.data;
  const found = async (name: string) => (await listed()).agents.find(({ agentName }) => agentName === name);

  it('are created with their schema, and listed as the save returned them', async () => {
    const agent = await saved({
      agentName: 'inscrever',
      schemaName: 'inscricao',
      schema,
      schemaDescription: 'Uma inscrição',
      description: 'Inscreve.',
      frontName: 'Inscrever',
      lucideIcon: 'user-plus',
      advanced: true,
    });
    expect(agent).to.deep.include({
      agentName: 'inscrever',
      schemaName: 'inscricao',
      description: 'Inscreve.',
      frontName: 'Inscrever',
      lucideIcon: 'user-plus',
      advanced: true,
    });
    expect(agent['frontSchema']).to.deep.include({
      required: ['curso'],
      properties: { curso: { type: 'string', default: '', description: 'Curso' } },
    });
    expect(await found('inscrever')).to.deep.equal(agent);
    const of = (await listed()).schemas.find(({ id }) => id === agent['schemaId']);
    expect(of).to.include({ schemaName: 'inscricao', description: 'Uma inscrição', deleted: false });
  });

  it('keep what each of two saves gives that create one at the same time', async () => {
    const agent = { agentName: 'duas', schemaName: 'duas', schema };
    await Promise.all([saved({ ...agent, description: 'Duas.' }), saved({ ...agent, frontName: 'Duas' })]);
    expect(await found('duas')).to.include({ description: 'Duas.', frontName: 'Duas' });
  });

  it('keep what an update omits, and are one agent however often and at once they are saved', async () => {
    const first = await saved({
      agentName: 'uma',
      schemaName: 'uma',
      schema,
      frontName: 'Uma',
      advanced: true,
    });
    const second = await saved({ agentName: 'uma', description: 'Outra.' });
    expect(second).to.deep.equal({
      ...first,
      description: 'Outra.',
      updatedAt: second['updatedAt'],
      frontSchema: { ...(first['frontSchema'] as Fields), description: 'Outra.' },
    });
    const parts = [{ frontName: 'A' }, { lucideIcon: 'b' }, { advanced: false }, { description: 'D' }];
    await Promise.all(parts.map(part => saved({ agentName: 'uma', ...part })));
    expect(await found('uma')).to.deep.include({ id: first['id'], ...Object.assign({}, ...parts) });
    const { agents, schemas } = await listed();
    expect(agents.filter(({ agentName }) => agentName === 'uma')).to.have.length(1);
    expect(schemas.filter(({ schemaName }) => schemaName === 'uma')).to.have.length(1);
    await saved({ agentName: 'uma', schema: { ...schema, required: [] }, schemaDescription: 'Nova' });
    expect((await found('uma'))?.['frontSchema']).to.deep.include({ required: [] });
  });

  it('are run by a turn from their save on, with the arguments of their schema, and by none after they are deleted', async () => {
    const { id } = await saved({ agentName: 'anotar', schemaName: 'anotar', schema, description: 'Anota.' });
    const agents = [{ agentName: 'anotar', schemaName: 'anotar' }];
    const [avatar] = await service.db('avatars').where({ host_id: demo.hostId }).orderBy('created_at');
    const steps = [{ type: 'agent', content: 'Quer um curso.', description: '', agents }];
    const flow = { avatarId: avatar.id, decisionName: 'Anotar', chainJson: steps };
    await demo.call('saveFlow', flow);
    model.script(rounds(callTool([['anotar', { curso: 'Direito' }]]), say('Anotado.')));
    const turn = await service.ask('Quero Direito.');
    expect(turn.body.data.jsonArray).to.deep.equal([
      { agentName: 'anotar', schemaName: 'anotar', data: { curso: 'Direito' } },
    ]);
    expect((await remove(id)).body.data).to.deep.equal({ id, agentName: 'anotar', deleted: true });
    model.say('Não posso.');
    const asked = model.requests.length;
    await service.ask('Quero Letras.');
    expect(JSON.stringify(model.requests.slice(asked))).to.not.include('"anotar"');
  });

  it('are deleted once or twice, and come back with a save, with all that they had', async () => {
    const agent = await saved({ agentName: 'volta', schemaName: 'volta', schema, frontName: 'Volta' });
    for (const _ of [1, 2]) expect((await remove(agent['id'])).status).to.equal(200);
    expect(await found('volta')).to.equal(undefined);
    const back = await saved({ agentName: 'volta' });
    expect(back).to.deep.equal({ ...agent, updatedAt: back['updatedAt'] });
  });

  it('have no schema of another host', async () => {
    await saved({ agentName: 'minha', schemaName: 'minha', schema });
    const body = { hostId: service.acme.hostId, agentName: 'deles', schemaName: 'minha' };
    expectRefused(await save(body, { token: service.acme.token }), 'schema-not-found');
  });

  const wrong: [what: string, body: Fields, path: string][] = [
    ['a name that no function can have', { agentName: 'é a', schemaName: 'x', schema }, 'agentName'],
    ['no schema', { agentName: 'nova' }, 'schemaName'],
    ['a schema of a text', { agentName: 'a', schemaName: 'x', schema: { type: 'string' } }, 'schema.type'],
    [
      'a schema with a wrong keyword',
      {
        agentName: 'a',
        schemaName: 'x',
        schema: { type: 'object', properties: { 'a/b': { minLength: -1 } } },
      },
      'schema.properties.a/b.minLength',
    ],
    [
      'a schema that leads nowhere',
      {
        agentName: 'a',
        schemaName: 'x',
        schema: { type: 'object', properties: { a: { $ref: '#/$defs/b' } } },
      },
      'schema',
    ],
    [
      'a pattern that is none',
      { agentName: 'a', schemaName: 'x', schema: { type: 'object', properties: { a: { pattern: '(' } } } },
      'schema',
    ],
    [
      'a schema that is too long',
      { agentName: 'a', schemaName: 'x', schema: { type: 'object', description: 'x'.repeat(64_000) } },
      'schema',
    ],
    [
      'a form with an unknown type',
      { agentName: 'a', schemaName: 'x', schema, frontSchema: { properties: { a: { type: 'text' } } } },
      'frontSchema.properties.a.type',
    ],
  ];
  for (const [what, body, path] of wrong) {
    it(`are refused with ${what}, which is named, and nothing changes`, async () => {
      const before = await readStoredRows(service.db);
      const { status, body: answer } = await save(body);
      expect([status, answer.data.fields.map((each: Fields) => each['path'])]).to.deep.equal([400, [path]]);
      expect(await readStoredRows(service.db)).to.deep.equal(before);
    });
  }

  it('are refused without a schema that is in use, and nothing changes', async () => {
    await service
      .db('agent_schemas')
      .insert({ host_id: demo.hostId, name: 'antiga', arguments: schema, deleted: true });
    const before = await readStoredRows(service.db);
    for (const schemaName of ['antiga', 'nenhuma'])
      expectRefused(await save({ agentName: 'sem', schemaName }), 'schema-not-found');
    expect(await readStoredRows(service.db)).to.deep.equal(before);
    expect((await saved({ agentName: 'sem', schemaName: 'antiga', schema }))['schemaName']).to.equal(
      'antiga',
    );
  });

  it('judge a schema of any length within the time limit, without compiling it', async () => {
    const alternatives = Array.from({ length: 1_500 }, (_, at) => ({ pattern: `^(a+)+${at}$` }));
    const large = { type: 'object', properties: { a: { anyOf: alternatives } } };
    expect((await save({ agentName: 'grande', schemaName: 'grande', schema: large })).status).to.equal(200);
  });

  it('are limited in number and size', async () => {
    await service.db.raw(
      `insert into agent_schemas (host_id, name, arguments)
       select ?, 's' || n, '{"type": "object"}' from generate_series(1, 1000) n`,
      [service.acme.hostId],
    );
    const acme = { token: service.acme.token };
    const agent = { hostId: service.acme.hostId, agentName: 'demais', schemaName: 'demais' };
    expectRefused(await save({ ...agent, schema }, acme), 'host-full');
    await service.db('agent_schemas').where({ host_id: service.acme.hostId, name: 's2' }).delete();
    const padded = { type: 'object', description: 'x'.repeat(400_000) };
    await service
      .db('agent_schemas')
      .where({ host_id: service.acme.hostId, name: 's1' })
      .update({ arguments: padded });
    const of = (at: number) => save({ ...agent, agentName: `a${at}`, schemaName: 's1' }, acme);
    let at = 0;
    while ((await of(at)).status === 200 && at < 20) at += 1;
    expect(at).to.equal(10);
    expectRefused(await of(at), 'host-full');
  });
});
