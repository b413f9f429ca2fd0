import { expect } from 'chai';
import { findAgents, listAgents, listSchemas, setAgent, setSchema } from '../../db/assistants/agents.ts';
import { buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { openEach, openOnce } from '../support/opened.ts';

const schema = {
  schemaName: 'interest',
  arguments: { type: 'object', properties: { course: { type: 'string' } } },
};
const agent = { agentName: 'register', schemaName: 'interest', frontSchema: { title: 'Register' } };

describe('agents', () => {
  const { db } = openOnce(makeDatabase);
  const host = openEach(() => buildHost(db));
  const other = openOnce(() => buildHost(db));

  const { inHost } = host;
  const namesOf = (all: readonly { agentName: string }[]) => all.map(({ agentName }) => agentName);

  it('are set by name: once more makes the same one so', async () => {
    const first = await inHost(scope => setSchema(scope, schema));
    const made = await inHost(scope => setAgent(scope, { ...agent, advanced: true, lucideIcon: 'user' }));
    expect(made).to.include({
      agentName: 'register',
      schemaName: 'interest',
      schemaId: first.id,
      advanced: true,
    });
    const again = await inHost(scope => setSchema(scope, { ...schema, description: 'Whom to call' }));
    const changed = await inHost(scope => setAgent(scope, { ...agent, frontName: 'Registrar' }));
    expect(again).to.include({ id: first.id, description: 'Whom to call' });
    expect(changed).to.include({ id: made?.id, frontName: 'Registrar', lucideIcon: '', advanced: false });
    expect(Date.parse(changed?.updatedAt ?? '')).to.be.greaterThan(Date.parse(made?.updatedAt ?? ''));
    expect(namesOf(await inHost(listAgents))).to.deep.equal(['fill_form', 'register']);
  });

  it('are not made without a schema of their host', async () => {
    await other.inHost(scope => setSchema(scope, schema));
    expect(await inHost(scope => setAgent(scope, agent))).to.equal(undefined);
    expect(namesOf(await inHost(listAgents))).to.deep.equal(['fill_form']);
  });

  it('are found for a turn by name, with their schemas, in their own host alone', async () => {
    await inHost(scope => setSchema(scope, schema));
    const { id } = (await inHost(scope => setAgent(scope, { ...agent, description: 'Registers' }))) ?? {};
    const names = ['register', 'unknown'];
    expect(await inHost(scope => findAgents(scope, names))).to.deep.equal([
      {
        id,
        name: 'register',
        description: 'Registers',
        schemaName: 'interest',
        arguments: schema.arguments,
      },
    ]);
    expect(await other.inHost(scope => findAgents(scope, names))).to.deep.equal([]);
    expect(await inHost(scope => findAgents(scope, []))).to.deep.equal([]);
  });

  it('do not run when they or their schemas are deleted; a deleted schema stays listed', async () => {
    const found = () =>
      inHost(scope => findAgents(scope, ['register'])).then(all => all.map(({ name }) => name));
    await inHost(scope => setSchema(scope, schema));
    await inHost(scope => setAgent(scope, { ...agent, deleted: true }));
    expect(await found()).to.deep.equal([]);
    expect(namesOf(await inHost(listAgents))).to.deep.equal(['fill_form']);
    await inHost(scope => setAgent(scope, agent));
    expect(await found()).to.deep.equal(['register']);
    await inHost(scope => setSchema(scope, { ...schema, deleted: true }));
    expect(await found()).to.deep.equal([]);
    const schemas = await inHost(listSchemas);
    expect(schemas.map(({ schemaName, deleted }) => [schemaName, deleted])).to.deep.equal([
      ['form', false],
      ['interest', true],
    ]);
  });
});
