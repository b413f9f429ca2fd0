import { expect } from 'chai';
import { parseAgentsFile } from '../../commands/agents-file.ts';
import { type Agent, listAgents, listSchemas } from '../../db/assistants/agents.ts';
import { findHostBySlug } from '../../db/hosts/hosts.ts';
import { withHost } from '../../db/with-hosts.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';
import { runCommand } from '../support/run-command.ts';
import { makeFolder } from '../support/temp-folder.ts';

const schema = { type: 'object', required: ['mes'], properties: { mes: { type: 'integer' } } };
const content = {
  schemas: [{ schemaName: 'conta', description: 'Uma conta', schema }],
  agents: [
    { agentName: 'pagar', schemaName: 'conta', frontName: 'Pagar', lucideIcon: 'wallet', advanced: true },
  ],
};

describe('the command agent', () => {
  const database = openOnce(() => makeDatabase('seeded'));
  const folder = openOnce(makeFolder);

  const run = (...args: string[]) =>
    runCommand('agent', args, { DATABASE_URL: database.url, SECRET_KEY: 's'.repeat(32) });
  const setFile = async (content: string | object, host = 'acme') =>
    run('set', '--host', host, '--file', await folder.write('agents.json', content));
  const stored = async (slug: string) => {
    const host = await findHostBySlug(database.db, slug);
    return withHost(database.db, host?.id ?? '', async scope => ({
      agents: await listAgents(scope),
      schemas: await listSchemas(scope),
    }));
  };
  const lineOf = ({ id, agentName, schemaName, frontName }: Agent) =>
    `${[id, agentName, schemaName, frontName, 'in use'].join('\t')}\n`;
  const header = 'id\tname\tschema\tfront name\tstate\n';

  it('sets what the file holds in that host alone, once or twice, and lists it', async () => {
    for (const _ of [1, 2]) {
      const told = await setFile(content);
      const { agents, schemas } = await stored('acme');
      expect(schemas).to.have.length(1);
      expect(schemas[0]).to.deep.include({
        schemaName: 'conta',
        description: 'Uma conta',
        arguments: schema,
      });
      expect(agents).to.have.length(1);
      expect(agents[0]).to.include({ agentName: 'pagar', schemaId: schemas[0]?.id, advanced: true });
      const out = `Agents of host "acme" set: 1 schema, 1 agent.\n${header}${lineOf(agents[0] as Agent)}`;
      expect(told).to.deep.equal({ code: 0, out, err: '' });
    }
    const { agents } = await stored('acme');
    expect((await run('list', '--host', 'acme')).out).to.equal(`${header}${lineOf(agents[0] as Agent)}`);
    const demo = (await stored('demo')).agents;
    expect(demo.map(({ agentName }) => agentName)).to.deep.equal([
      'registrar_interesse',
      'segunda_via_boleto',
    ]);
    expect((await run('list', '--host', 'demo')).out).to.equal([header, ...demo.map(lineOf)].join(''));
  });

  it('leaves nothing of a file of which one agent cannot be set, and says which', async () => {
    const before = await stored('acme');
    const schemas = [{ schemaName: 'nova', schema }];
    const agents = [
      { agentName: 'fine', schemaName: 'nova' },
      { agentName: 'lost', schemaName: 'boleto' },
    ];
    const err = '/agents/1/schemaName: "acme" has no schema "boleto"\n';
    expect(await setFile({ schemas, agents })).to.deep.equal({ code: 1, out: '', err });
    expect(await stored('acme')).to.deep.equal(before);
  });

  it('says in one line that there is no such host, and no such file', async () => {
    const [host, file] = [
      await setFile('{}', 'nobody'),
      await run('set', '--host', 'acme', '--file', folder.pathOf('none.json')),
    ];
    expect([host.code, host.err]).to.deep.equal([1, 'There is no host "nobody".\n']);
    expect([file.code, file.err.trimEnd().split('\n').length]).to.deep.equal([1, 1]);
    expect(file.err).to.include('none.json');
  });
});

describe('a file of agents', () => {
  const fault = (value: unknown): string => {
    try {
      parseAgentsFile(typeof value === 'string' ? value : JSON.stringify(value));
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };
  const withAgent = (agent: object) => ({ agents: [{ agentName: 'a', schemaName: 's', ...agent }] });
  const withSchema = (of: object) => ({ schemas: [{ schemaName: 's', schema: of }] });

  it('may be without schemas or without agents', () => {
    expect(parseAgentsFile('{}')).to.deep.equal({ schemas: [], agents: [] });
  });

  const faults: [title: string, value: unknown, line: RegExp][] = [
    ['no JSON', '{"agents": [', /^The file is not JSON: /],
    ['no object', [], /^\/: must be of type object$/],
    ['an agent without a schema', { agents: [{ agentName: 'a' }] }, /^\/agents\/0\/schemaName: is required$/],
    ['a name that no function can have', withAgent({ agentName: 'é a' }), /^\/agents\/0\/agentName: /],
    ['a field that nobody knows', withAgent({ icon: 'x' }), /^\/agents\/0\/icon: is not allowed$/],
    [
      'a form with a type that there is not',
      withAgent({ frontSchema: { properties: { 'a/b': { type: 'text' } } } }),
      /^\/agents\/0\/frontSchema\/properties\/a~1b\/type: must be one of/,
    ],
    [
      'two agents of one name',
      { agents: [1, 2].map(() => ({ agentName: 'a', schemaName: 's' })) },
      /^\/agents\/1: contains a duplicate value$/,
    ],
    [
      'a schema of something else than an object',
      withSchema({ type: 'string' }),
      /^\/schemas\/0\/schema\/type: /,
    ],
    [
      'a schema with a wrong keyword',
      withSchema({ type: 'object', properties: { a: { type: 'string', minLength: -1 } } }),
      /^\/schemas\/0\/schema\/properties\/a\/minLength: must be >= 0$/m,
    ],
    [
      'a schema that leads nowhere',
      withSchema({ type: 'object', properties: { a: { $ref: '#/$defs/b' } } }),
      /^\/schemas\/0\/schema: can't resolve reference/,
    ],
  ];
  for (const [title, value, line] of faults) {
    it(`is refused with ${title}, and told where`, () => {
      expect(fault(value)).to.match(line);
    });
  }

  it('is refused with a line for each thing that is wrong', () => {
    expect(fault({ agents: [{}], more: 1 }).split('\n')).to.have.length(3);
  });
});
