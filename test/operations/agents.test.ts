import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { setAgent, setSchema } from '../../db/assistants/agents.ts';
import { makeModelServer } from '../../offline-model/server.ts';
import { isOfType, type ValueType } from '../../workers/domain/schemas/front-schema.ts';
import { formFor, type ModelRequest, say } from '../support/scripted-model.ts';
import { openService, type Service, startService } from '../support/service.ts';

const instant = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

describe('agents', () => {
  const service = openService();
  before(async () => {
    await service.acme.inHost(async scope => {
      const curso = { type: 'string', title: 'Curso', enum: ['Direito', 'Letras'] };
      const args = { type: 'object', required: ['curso'], properties: { curso } };
      await setSchema(scope, { schemaName: 'lead', description: 'Um interesse', arguments: args });
      await setSchema(scope, { schemaName: 'old', arguments: { type: 'object' }, deleted: true });
      await setAgent(scope, {
        agentName: 'qualify',
        schemaName: 'lead',
        description: 'Qualifica',
        frontName: 'Qualificar',
        lucideIcon: 'user-plus',
        advanced: true,
      });
      await setAgent(scope, { agentName: 'retired', schemaName: 'old', deleted: true });
    });
  });
  beforeEach(() => service.model.script(say(formFor)));

  const list = ({ hostId, token }: { hostId: string; token: string }) =>
    service.demo.call('listAgents', { hostId }, { token });

  it('are listed with the fields of the contract, their schemas beside them, those of one host alone', async () => {
    const { status, body } = await list(service.acme);
    expect(status).to.equal(200);
    const [agent] = body.data.agents;
    const [lead, old] = body.data.schemas;
    expect(body.data).to.deep.equal({
      agents: [
        {
          id: agent.id,
          createdAt: agent.createdAt,
          updatedAt: agent.updatedAt,
          agentName: 'qualify',
          description: 'Qualifica',
          frontSchema: {
            id: 'lead',
            type: 'object',
            title: 'Qualificar',
            schema: 'https://json-schema.org/draft/2020-12/schema',
            required: ['curso'],
            properties: { curso: { type: 'string', default: '', description: 'Curso' } },
            description: 'Qualifica',
          },
          schemaName: 'lead',
          schemaId: lead.id,
          lucideIcon: 'user-plus',
          frontName: 'Qualificar',
          advanced: true,
        },
      ],
      schemas: [
        { ...dated(lead), schemaName: 'lead', description: 'Um interesse', deleted: false },
        { ...dated(old), schemaName: 'old', description: '', deleted: true },
      ],
    });
    for (const { createdAt, updatedAt } of [agent, lead, old]) {
      expect([createdAt, updatedAt]).to.satisfy((all: string[]) => all.every(one => instant.test(one)));
    }
    const ofDemo = await list(service.demo);
    expect(JSON.stringify(ofDemo.body)).to.not.include('qualify');
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
  const service = openService();
  beforeEach(() => service.model.requests.splice(0));

  const generate = (agent: object = agentWith(properties), more: object = {}) =>
    service.demo.call('generateAgent', { agent, instructions: 'Preencha tudo.', ...more });
  const answer = (...answers: unknown[]) =>
    service.model.script(
      say(() => {
        const next = answers.length > 1 ? answers.shift() : answers[0];
        return typeof next === 'string' ? next : JSON.stringify(next);
      }),
    );
  const valuesIn = (body: { data: { properties: Record<string, { value: unknown }> } }) =>
    Object.fromEntries(Object.entries(body.data.properties).map(([name, { value }]) => [name, value]));

  it('gives every property a value of its type, beside what it says of itself', async () => {
    answer(good);
    const front = {
      id: 'f',
      type: 'object',
      title: 'T',
      schema: 's',
      required: ['string'],
      description: 'd',
    };
    const { status, body } = await generate({ agentName: 'any', frontSchema: { ...front, properties } });
    expect([status, service.model.requests.length]).to.deep.equal([200, 1]);
    const { properties: filled, ...rest } = body.data;
    expect(rest).to.deep.equal(front);
    expect(filled.integer).to.deep.equal({
      type: 'integer',
      default: 0,
      description: 'a integer',
      value: 2,
    });
    expect(valuesIn(body)).to.deep.equal({ ...good, object: { k: 'v' } });
  });

  it('asks with the purpose of agents for a strict schema without references, telling what is wanted', async () => {
    answer({ size: 'M' });
    const size = { type: 'string', enum: ['P', 'M'], description: 'Tamanho', default: 'P' };
    await generate(agentWith({ size }), { instructions: 'Tamanho médio' });
    const [request] = service.model.requests as [ModelRequest];
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
    const { schema } = service.model.requests[0]?.response_format?.json_schema ?? {};
    expect(status).to.equal(200);
    expect(schema?.['properties']).to.deep.equal({
      some: { type: 'integer', enum: [1, 2] },
      none: { type: 'string' },
    });
  });

  it('closes every object in the schema that it asks for, as strict providers demand', async () => {
    answer(good);
    await generate();
    const { schema } = service.model.requests[0]?.response_format?.json_schema ?? {};
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
      const repair = service.model.requests[1]?.messages ?? [];
      expect(repair.map(({ role }) => role)).to.deep.equal(['system', 'user', 'assistant', 'user']);
      expect(repair.at(-1)?.content).to.include(named);
    });

    it(`gives up with 503 when the answer ${fault} comes again`, async () => {
      answer(wrong);
      const { status, body } = await generate();
      expect([status, body.message]).to.deep.equal([503, 'The language model returned no usable answer']);
      expect(service.model.requests).to.have.length(2);
    });
  }

  it('takes an object that was written as one', async () => {
    answer({ object: { a: 1 } });
    const { body } = await generate(agentWith({ object: { type: 'object' } }));
    expect(valuesIn(body)).to.deep.equal({ object: { a: 1 } });
  });

  it('asks nobody where there is nothing to fill in', async () => {
    const { status, body } = await generate(agentWith({}));
    expect([status, body.data.properties, service.model.requests]).to.deep.equal([200, {}, []]);
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
    for (const [agent, path] of wrong) {
      const { status, body } = await generate(agent);
      expect([status, body.data.fields?.[0]?.path]).to.deep.equal([400, path]);
    }
    expect((await generate(undefined, { instructions: '' })).body.data.fields[0].path).to.equal(
      'instructions',
    );
    expect(service.model.requests).to.deep.equal([]);
  });
});

describe('generating the agents of the demonstration with the offline model', () => {
  let model: Server;
  let service: Service;
  before(async () => {
    model = makeModelServer().listen(0, '127.0.0.1');
    await once(model, 'listening');
    const { port } = model.address() as AddressInfo;
    const openaiBaseUrl = `http://127.0.0.1:${port}/v1`;
    service = await startService({ openaiBaseUrl, openaiModel: 'offline-extractive' });
  });
  after(async () => {
    await service.close();
    model.closeAllConnections();
    model.close();
  });

  it('fills each form with what the instructions say, every value of its type', async () => {
    const { hostId } = service.demo;
    const listed = await service.demo.call('listAgents', { hostId });
    const instructions = 'Nome: Ana Souza. Ela quer o curso de Direito; mês: 7. CPF 529.982.247-25.';
    const values: Record<string, unknown> = {};
    for (const agent of listed.body.data.agents) {
      const { status, body } = await service.demo.call('generateAgent', { agent, instructions });
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
    const { body } = await service.demo.call('listModels', {});
    expect(body.data).to.deep.equal({ offline: ['offline-extractive'] });
  });
});
