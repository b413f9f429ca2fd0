import { expect } from 'chai';
import { expectRefused, expectWrong } from '../support/contract.ts';
import type { Fields } from '../support/operation-calls.ts';
import { call as callTool, rounds, say } from '../support/scripted-model.ts';
import { openService } from '../support/service.ts';
import { readStoredRows } from '../support/stored-rows.ts';

const curso = { type: 'string', description: 'Curso' };
const schema = { type: 'object', required: ['curso'], properties: { curso } };

describe('agents over HTTP', () => {
  const { demo, acme, db, model } = openService();

  const save = (body: Fields) => demo.call('saveAgent', body);
  const saved = async (body: Fields): Promise<Fields> => {
    const { status, body: answer } = await save(body);
    expect(status, JSON.stringify(answer)).to.equal(200);
    return answer.data;
  };
  const remove = (id: unknown) => demo.call('deleteAgent', { id });
  const listed = async (): Promise<{ agents: Fields[]; schemas: Fields[] }> =>
    (await demo.call('listAgents')).body.data;
  const found = async (name: string) => (await listed()).agents.find(({ agentName }) => agentName === name);

  it('are created with their schema, and listed as the save returned them', async () => {
    const given = {
      agentName: 'inscrever',
      schemaName: 'inscricao',
      description: 'Inscreve.',
      frontName: 'Inscrever',
      lucideIcon: 'user-plus',
      advanced: true,
    };
    const agent = await saved({ ...given, schema, schemaDescription: 'Uma inscrição' });
    expect(agent).to.include(given);
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
    const named = { agentName: 'uma', schemaName: 'uma' };
    const first = await saved({ ...named, schema, frontName: 'Uma', advanced: true });
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
    const steps = [{ type: 'agent', content: 'Quer um curso.', description: '', agents }];
    await demo.call('saveFlow', { avatarId: demo.avatarId, decisionName: 'Anotar', chainJson: steps });
    model.script(rounds(callTool([['anotar', { curso: 'Direito' }]]), say('Anotado.')));
    const turn = await demo.ask('Quero Direito.');
    expect(turn.body.data.jsonArray).to.deep.equal([
      { agentName: 'anotar', schemaName: 'anotar', data: { curso: 'Direito' } },
    ]);
    expect((await remove(id)).body.data).to.deep.equal({ id, agentName: 'anotar', deleted: true });
    model.say('Não posso.');
    const asked = model.requests.length;
    await demo.ask('Quero Letras.');
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
    const theirs = { agentName: 'deles', schemaName: 'minha' };
    expectRefused(await acme.call('saveAgent', theirs), 'schema-not-found');
  });

  const withProperties = (properties: object) => ({ schema: { type: 'object', properties } });
  const tooLong = { type: 'object', description: 'x'.repeat(64_000) };
  // biome-ignore format: a table
  const wrong: [what: string, more: Fields, path: string][] = [
    ['a name that no function can have', { agentName: 'é a' }, 'agentName'],
    ['no schema', { schemaName: undefined, schema: undefined }, 'schemaName'],
    ['a schema of a text', { schema: { type: 'string' } }, 'schema.type'],
    ['a schema with a wrong keyword', withProperties({ 'a/b': { minLength: -1 } }),
      'schema.properties.a/b.minLength'],
    ['a schema that leads nowhere', withProperties({ a: { $ref: '#/$defs/b' } }), 'schema'],
    ['a pattern that is none', withProperties({ a: { pattern: '(' } }), 'schema'],
    ['a schema that is too long', { schema: tooLong }, 'schema'],
    ['a form with an unknown type', { frontSchema: { properties: { a: { type: 'text' } } } },
      'frontSchema.properties.a.type'],
  ];
  for (const [what, more, path] of wrong)
    it(`are refused with ${what}, which is named, and nothing changes`, async () => {
      const before = await readStoredRows(db);
      expectWrong(await save({ agentName: 'a', schemaName: 'x', schema, ...more }), path);
      expect(await readStoredRows(db)).to.deep.equal(before);
    });

  it('are refused without a schema that is in use, and nothing changes', async () => {
    const antiga = { host_id: demo.hostId, name: 'antiga', arguments: schema, deleted: true };
    await db('agent_schemas').insert(antiga);
    const before = await readStoredRows(db);
    for (const schemaName of ['antiga', 'nenhuma'])
      expectRefused(await save({ agentName: 'sem', schemaName }), 'schema-not-found');
    expect(await readStoredRows(db)).to.deep.equal(before);
    expect(await saved({ agentName: 'sem', schemaName: 'antiga', schema })).to.include({
      schemaName: 'antiga',
    });
  });

  it('judge a schema of any length within the time limit, without compiling it', async () => {
    const alternatives = Array.from({ length: 1_500 }, (_, at) => ({ pattern: `^(a+)+${at}$` }));
    const large = { type: 'object', properties: { a: { anyOf: alternatives } } };
    expect((await save({ agentName: 'grande', schemaName: 'grande', schema: large })).status).to.equal(200);
  });

  it('are limited in number and size', async () => {
    await db.raw(
      `insert into agent_schemas (host_id, name, arguments)
       select ?, 's' || n, '{"type": "object"}' from generate_series(1, 1000) n`,
      [acme.hostId],
    );
    const agent = { agentName: 'demais', schemaName: 'demais' };
    expectRefused(await acme.call('saveAgent', { ...agent, schema }), 'host-full');
    const named = (name: string) => db('agent_schemas').where({ host_id: acme.hostId, name });
    await named('s2').delete();
    await named('s1').update({ arguments: { type: 'object', description: 'x'.repeat(400_000) } });
    const of = (at: number) => acme.call('saveAgent', { agentName: `a${at}`, schemaName: 's1' });
    let at = 0;
    while ((await of(at)).status === 200 && at < 20) at += 1;
    expect(at).to.equal(10);
    expectRefused(await of(at), 'host-full');
  });

  it('are set together with their schemas, once or twice, and replace those that were there', async () => {
    const schemas = [{ schemaName: 'conta', description: 'Uma conta', schema }];
    const agents = [{ agentName: 'pagar', schemaName: 'conta', frontName: 'Pagar' }];
    for (const given of [{ description: 'Antes.' }, {}]) {
      const body = { schemas, agents: agents.map(each => ({ ...each, ...given })) };
      const { data } = (await acme.call('saveAgents', body)).body;
      expect(data.agents).to.have.length(1);
      expect(data.agents[0]).to.include({
        agentName: 'pagar',
        frontName: 'Pagar',
        description: '',
        ...given,
      });
    }
    const { data } = (await acme.call('listAgents')).body;
    expect(data.schemas.map(({ description }: Fields) => description)).to.include('Uma conta');
    expect((await acme.call('saveAgents', { agents: [{ ...agents[0], deleted: true }] })).status).to.equal(
      200,
    );
    expect(JSON.stringify((await acme.call('listAgents')).body.data.agents)).to.not.include('pagar');
  });

  it('are set together or not at all, and the fault is told by its place', async () => {
    const before = await readStoredRows(db);
    const named = (agentName: string, schemaName = 'nova') => ({ agentName, schemaName });
    const ofSchema = (given: object) => [{ schemaName: 'nova', schema: given }];
    const schemas = ofSchema(schema);
    for (const [field, body] of [
      ['agents[1].schemaName', { schemas, agents: [named('fine'), named('lost', 'nowhere')] }],
      ['agents[0].schemaName', { agents: [{ agentName: 'a' }] }],
      ['agents[0].agentName', { agents: [named('é a')] }],
      ['agents[1]', { schemas, agents: [named('a'), named('a')] }],
      ['schemas[1]', { schemas: [...schemas, ...schemas] }],
      ['schemas[0].schema.type', { schemas: ofSchema({ type: 'string' }) }],
      [
        'schemas[0].schema.properties.a.minLength',
        { schemas: ofSchema({ type: 'object', properties: { a: { type: 'string', minLength: -1 } } }) },
      ],
    ] as const)
      expectWrong(await demo.call('saveAgents', body), field);
    expect(await readStoredRows(db)).to.deep.equal(before);
  });
});
