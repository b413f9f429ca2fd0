import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { setAgent, setSchema } from '../../db/assistants/agents.ts';
import { makeModelServer } from '../../offline-model/server.ts';
import { isOfType, type ValueType } from '../../workers/domain/schemas/front-schema.ts';
import { expectWrong } from '../support/contract.ts';
import { openOnce } from '../support/opened.ts';
import { formFor, type ModelRequest, say } from '../support/scripted-model.ts';
import { openOwnService, openService } from '../support/service.ts';

describe('agents', () => {
  const { demo, acme, model } = openService();
  before(() =>
    acme.inHost(async scope => {
      const curso = { type: 'string', title: 'Curso', enum: ['Direito', 'Letras'] };
      const args = { type: 'object', required: ['curso'], properties: { curso } };
      await setSchema(scope, { schemaName: 'lead', description: 'Um interesse', arguments: args });
      await setSchema(scope, { schemaName: 'old', arguments: { type: 'object' }, deleted: true });
      await setAgent(scope, qualify);
      await setAgent(scope, { agentName: 'retired', schemaName: 'old', deleted: true });
    }),
  );
  beforeEach(() => model.script(say(formFor)));

  const qualify = {
    agentName: 'qualify',
    schemaName: 'lead',
    description: 'Qualifica',
    frontName: 'Qualificar',
    lucideIcon: 'user-plus',
    advanced: true,
  };

  it('are listed with the fields of the contract, their schemas beside them, those of one host alone', async () => {
    const { status, body } = await acme.call('listAgents');
    expect(status).to.equal(200);
    const [agent] = body.data.agents;
    const [lead, old] = body.data.schemas;
    expect(body.data).to.deep.equal({
      agents: [
        {
          ...dated(agent),
          ...qualify,
          frontSchema: {
            id: 'lead',
            type: 'object',
            title: 'Qualificar',
            schema: 'https://json-schema.org/draft/2020-12/schema',
            required: ['curso'],
            properties: { curso: { type: 'string', default: '', description: 'Curso' } },
            description: 'Qualifica',
          },
          schemaId: lead.id,
        },
      ],
      schemas: [
        { ...dated(lead), schemaName: 'lead', description: 'Um interesse', deleted: false },
        { ...dated(old), schemaName: 'old', description: '', deleted: true },
      ],
    });
    for (const { createdAt, updatedAt } of [agent, lead, old])
      for (const at of [createdAt, updatedAt]) expect(at).to.match(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(JSON.stringify(await demo.call('listAgents'))).to.not.include('qualify');
  });

  const dated = ({ id, createdAt, updatedAt }: Record<string, unknown>) => ({ id, createdAt, updatedAt });
});

const types = ['string', 'number', 'integer', 'boolean', 'array', 'object'] as const;
const properties = Object.fromEntries(types.map(type => [type, { type, description: `a ${type}` }]));
const good = {
  string: 'x',
  number: 1.5,
  integer: 2,
  boolean: true,
  array: ['a'],
  object: [
    { name: 'k', value: 'v' },
    { name: '', value: 'lost' },
  ],
};
const agentWith = (fields: object) => ({ agentName: 'any', frontSchema: { properties: fields } });

describe('generating an agent', () => {
  const { demo, model } = openService();
  beforeEach(() => model.requests.splice(0));

  const generate = (agent: object = agentWith(properties), more: object = {}) =>
    demo.call('generateAgent', { agent, instructions: 'Preencha tudo.', ...more });
  const answer = (...answers: unknown[]) =>
    model.script(
      say(() => {
        const next = answers.length > 1 ? answers.shift() : answers[0];
        return typeof next === 'string' ? next : JSON.stringify(next);
      }),
    );
  const valuesIn = (body: { data: { properties: Record<string, { value: unknown }> } }) =>
    Object.fromEntries(Object.entries(body.data.properties).map(([name, { value }]) => [name, value]));

  it('gives every property a value of its type, beside what it says of itself', async () => {
    answer(good);
    const named = { id: 'f', type: 'object', title: 'T', schema: 's' };
    const front = { ...named, required: ['string'], description: 'd' };
    const { status, body } = await generate({ agentName: 'any', frontSchema: { ...front, properties } });
    expect([status, model.requests.length]).to.deep.equal([200, 1]);
    const { properties: filled, ...rest } = body.data;
    expect(rest).to.deep.equal(front);
    expect(filled.integer).to.deep.equal({ type: 'integer', default: 0, description: 'a integer', value: 2 });
    expect(valuesIn(body)).to.deep.equal({ ...good, object: { k: 'v' } });
  });

  it('asks with the purpose of agents for a strict schema without references, telling what is wanted', async () => {
    answer({ size: 'M' });
    const size = { type: 'string', enum: ['P', 'M'], description: 'Tamanho', default: 'P' };
    await generate(agentWith({ size }), { instructions: 'Tamanho médio' });
    const [request] = model.requests as [ModelRequest];
    expect(request.headers['x-parley-purpose']).to.equal('agent');
    expect(request.response_format?.json_schema).to.deep.include({
      strict: true,
      schema: {
        type: 'object',
        properties: { size: { type: 'string', enum: ['P', 'M'], description: 'Tamanho' } },
        required: ['size'],
        additionalProperties: false,
      },
    });
    expect(request.messages.at(-1)).to.deep.equal({ role: 'user', content: 'Tamanho médio' });
    expect(request.messages[0]?.content).to.include('- size (string; padrão: "P"): Tamanho');
  });

  it('asks only for those listed values that are of the declared type, each once', async () => {
    answer({ some: 2, none: 'x' });
    const some = { type: 'integer', enum: [1, 'b', 2, 2, null] };
    const { status } = await generate(agentWith({ some, none: { type: 'string', enum: [1, 2] } }));
    const { schema } = model.requests[0]?.response_format?.json_schema ?? {};
    const wanted = { some: { type: 'integer', enum: [1, 2] }, none: { type: 'string' } };
    expect([status, schema?.['properties']]).to.deep.equal([200, wanted]);
  });

  it('closes every object in the schema that it asks for, as strict providers demand', async () => {
    answer(good);
    await generate();
    const { schema } = model.requests[0]?.response_format?.json_schema ?? {};
    const seen: unknown[] = [];
    JSON.stringify(schema, (_name, value) => {
      if (value?.type === 'object') seen.push([value.additionalProperties, value.required]);
      return value;
    });
    expect(seen).to.deep.equal([
      [false, [...types]],
      [false, ['name', 'value']],
    ]);
    expect(JSON.stringify(schema)).to.not.include('$ref');
  });

  const faults: Record<string, [unknown, string]> = {
    'that is no JSON': ['Claro! Aqui está.', '/: is not JSON'],
    'with a value of another type': [{ ...good, integer: 2.5 }, '/integer: must be integer'],
    'without one of the values': [{ ...good, string: undefined }, "/: must have required property 'string'"],
    'with a value that nobody wants': [{ ...good, more: 1 }, '/: must not have "more"'],
  };
  for (const [fault, [wrong, named]] of Object.entries(faults)) {
    it(`has an answer ${fault} repaired, telling what was wrong`, async () => {
      answer(wrong, good);
      const { status, body } = await generate();
      expect(status).to.equal(200);
      expect(valuesIn(body)).to.include({ integer: 2, string: 'x' });
      const repair = model.requests[1]?.messages ?? [];
      expect(repair.map(({ role }) => role)).to.deep.equal(['system', 'user', 'assistant', 'user']);
      expect(repair.at(-1)?.content).to.include(named);
    });

    it(`gives up with 503 when the answer ${fault} comes again`, async () => {
      answer(wrong);
      const { status, body } = await generate();
      expect([status, body.message]).to.deep.equal([503, 'The language model returned no usable answer']);
      expect(model.requests).to.have.length(2);
    });
  }

  it('takes an object that was written as one', async () => {
    answer({ object: { a: 1 } });
    const { body } = await generate(agentWith({ object: { type: 'object' } }));
    expect(valuesIn(body)).to.deep.equal({ object: { a: 1 } });
  });

  it('asks nobody where there is nothing to fill in', async () => {
    const { status, body } = await generate(agentWith({}));
    expect([status, body.data.properties, model.requests]).to.deep.equal([200, {}, []]);
  });

  it('lets no character through that no store takes', async () => {
    answer('{"string":"a\\u0000b\\ud800"}');
    const { body } = await generate(agentWith({ string: { type: 'string' } }));
    expect(valuesIn(body)).to.deep.equal({ string: 'a\ufffdb\ufffd' });
  });

  it('refuses an agent that is none, and names the place', async () => {
    const wrong: [object, string][] = [
      [{ agentName: 'x' }, 'agent.frontSchema'],
      [{ frontSchema: { properties: { a: { type: 'text' } } } }, 'agent.frontSchema.properties.a.type'],
      [{ frontSchema: { properties: { a: 5 } } }, 'agent.frontSchema.properties.a'],
      [
        { frontSchema: { properties: { a: { type: 'string', enum: Array(501).fill('v') } } } },
        'agent.frontSchema.properties.a.enum',
      ],
      [{ frontSchema: { properties: {}, type: 'array' } }, 'agent.frontSchema.type'],
      [{ frontSchema: { properties: {} }, id: 'no-uuid' }, 'agent.id'],
    ];
    for (const [agent, path] of wrong) expectWrong(await generate({ agentName: 'any', ...agent }), path);
    expectWrong(await generate(undefined, { instructions: '' }), 'instructions');
    expect(model.requests).to.deep.equal([]);
  });
});

describe('generating the agents of the demonstration with the offline model', () => {
  const server = openOnce(async () => {
    const listening = makeModelServer().listen(0, '127.0.0.1');
    await once(listening, 'listening');
    return listening;
  });
  const { demo } = openOwnService(() => {
    const { port } = server.address() as AddressInfo;
    return { openaiBaseUrl: `http://127.0.0.1:${port}/v1`, openaiModel: 'offline-extractive' };
  });

  it('fills each form with what the instructions say, every value of its type', async () => {
    const listed = await demo.call('listAgents');
    const instructions = 'Nome: Ana Souza. Ela quer o curso de Direito; mês: 7. CPF 529.982.247-25.';
    const values: Record<string, unknown> = {};
    for (const agent of listed.body.data.agents) {
      const { status, body } = await demo.call('generateAgent', { agent, instructions });
      expect(status).to.equal(200);
      const filled = Object.entries<{ type: ValueType; value: unknown }>(body.data.properties);
      for (const [name, { type, value }] of filled) {
        expect(isOfType(type, value), name).to.equal(true);
        values[name] = value;
      }
    }
    expect(values).to.include({ nome: 'Ana Souza', curso: 'Direito', mes: 7, cpf: '529.982.247-25' });
  });

  it('names the offline model under a provider of its own', async () => {
    expect((await demo.call('listModels', {})).body.data).to.deep.equal({ offline: ['offline-extractive'] });
  });
});
