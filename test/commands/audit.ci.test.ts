import { userInfo } from 'node:os';
import { expect } from 'chai';
import { createHost } from '../../db/hosts/hosts.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';
import { runCommand } from '../support/run-command.ts';
import { makeFolder } from '../support/temp-folder.ts';

interface Row {
  readonly host_id: string;
  readonly table_name: string;
  readonly row_id: string;
  readonly before: object | null;
  readonly after: object | null;
}

/** The operation that each command runs. */
const operations: Readonly<Record<string, string>> = {
  'host create': 'createHost',
  'host set': 'saveHost',
  'host contract': 'saveContract',
  'token create': 'issueToken',
  'token revoke': 'revokeToken',
  'agent set': 'saveAgents',
  'mapping set': 'saveMapping',
};

describe('the audit of commands', () => {
  const database = openOnce(makeDatabase);
  const folder = openOnce(makeFolder);
  const { db } = database;

  /** The audit rows of the command; each has it and its operating-system user. */
  const audited = async (line: string): Promise<Row[]> => {
    await db('audit_entries').delete();
    const [name = '', ...args] = line.split(' ');
    const ran = await runCommand(name, args, { DATABASE_URL: database.url, SECRET_KEY: 's'.repeat(32) });
    expect(ran, line).to.include({ code: 0, err: '' });
    const rows = await db('audit_entries').orderBy('id');
    const actor = { actor_kind: 'command', actor_name: userInfo().username, token_id: null };
    const said = `${name} ${args[0]}`;
    for (const row of rows) expect(row).to.include({ ...actor, operation: operations[said] ?? said });
    return rows;
  };
  const fileOf = (value: object) => folder.write('file.json', value);

  it('names the command for a host that is made, changed and contracted', async () => {
    const [made, changed] = await audited('host create --slug uni --name Uni --share 3');
    expect(made?.after).to.include({ slug: 'uni', share: 1 });
    expect(changed).to.deep.include({ table_name: 'hosts', before: { share: 1 }, after: { share: 3 } });
    const [set, ...none] = await audited('host set --slug uni --share 2 --name Uni --time-zone UTC');
    expect(none).to.deep.equal([]);
    expect(set).to.deep.include({
      host_id: made?.host_id,
      row_id: made?.host_id,
      before: { share: 3, time_zone: 'America/Sao_Paulo' },
      after: { share: 2, time_zone: 'UTC' },
    });
    const [contract] = await audited('host contract --host uni --price 1.80 --services 9 --from 2026-03-01');
    expect(contract).to.deep.include({ table_name: 'contracts', row_id: '2026-03-01', before: null });
    expect(contract?.after).to.include({ price: 1.8, services: 9 });
  });

  it('names it for the token of a link that nobody used in time, which it deletes', async () => {
    await createHost(db, { slug: 'links', name: 'Links' });
    const [made] = await audited('token link --host links --name first');
    await db('sign_in_links').update({ expires_at: db.fn.now() });
    const rows = await audited('token link --host links --name second');
    const [gone] = rows.filter(({ row_id }) => row_id === made?.row_id);
    expect(gone).to.deep.include({ host_id: made?.host_id, table_name: 'tokens', after: null });
    expect(gone?.before).to.include({ name: 'first' }).and.not.have.property('hash');
    expect(await db('tokens').where({ id: made?.row_id })).to.deep.equal([]);
  });

  it('names it for agents and mappings', async () => {
    await createHost(db, { slug: 'agents', name: 'Agents' });
    const agents = await fileOf({
      schemas: [{ schemaName: 's', schema: { type: 'object', properties: {} } }],
      agents: [{ agentName: 'a', schemaName: 's' }],
    });
    const rows = await audited(`agent set --host agents --file ${agents}`);
    expect(rows.map(({ table_name }) => table_name)).to.deep.equal(['agent_schemas', 'agents']);
    const mapping = await fileOf({ target: 'lead', fields: { id: 'external_id' }, required: ['id'] });
    const [version] = await audited(`mapping set --host agents --kind deals --file ${mapping}`);
    expect(version).to.include({ table_name: 'crm_mappings', row_id: 'deals 1' });
  });

  it('has a row of each host that a token is for, of all hosts for one of operators', async () => {
    const [a, b] = [
      await createHost(db, { slug: 'a1', name: 'A' }),
      await createHost(db, { slug: 'b1', name: 'B' }),
    ];
    const hosts = (rows: readonly Row[]) => rows.map(({ host_id }) => host_id);
    const both = await audited('token create --host a1 --host b1 --name both');
    expect(hosts(both)).to.have.members([a?.id, b?.id]);
    expect(both[0]?.after).to.include({ name: 'both', kind: 'domain' }).and.to.not.have.property('hash');
    const [revoked] = await audited(`token revoke ${both[0]?.row_id}`);
    expect(revoked?.before).to.deep.equal({ revoked_at: null });
    const all = await audited('token create --operator');
    expect(hosts(all)).to.have.members(await db('hosts').pluck('id'));
  });
});
