import { expect } from 'chai';
import { buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';
import { runCommand } from '../support/run-command.ts';
import { countOpened, storeSealed } from './sealed-rows.ts';

const OLD = 'the key before it of thirty-two letters';
const LOST = 'a key that nobody has any more, of thirty-two';
const NEW = 'the key from now on, of thirty-two letters';

describe('release, after a change of SECRET_KEY', () => {
  const database = openOnce(makeDatabase);
  const host = openOnce(() => buildHost(database.db));
  before(async () => {
    await database.db('host_providers').delete();
    await database.db('files').delete();
    // A built host has no real secret.
    await database.db('crm_sources').delete();
    await storeSealed(database.db, host, OLD, 2);
    await storeSealed(database.db, host, LOST, 1);
  });

  const release = async (previous?: string) => {
    const { code, err } = await runCommand('migrate', [], {
      DATABASE_URL: database.url,
      SECRET_KEY: NEW,
      ...(previous === undefined ? {} : { SECRET_KEY_PREVIOUS: previous }),
    });
    expect(code, err).to.equal(0);
    return err.split('\n').filter(line => line.includes('SECRET_KEY'));
  };

  it('names what it cannot read by kind and host, and changes nothing of it', async () => {
    const lines = await release();
    expect(lines.map(line => line.slice(0, line.indexOf(':')))).to.deep.equal(
      ['MCP servers', 'REST tools', 'sources', 'webhooks', 'providers of models', 'files'].map(
        kind =>
          `Neither SECRET_KEY nor SECRET_KEY_PREVIOUS opens the secrets of 3 ${kind} of ${host.slug} (3)`,
      ),
    );
    expect(await countOpened(database.db, OLD)).to.deep.equal([2, 2, 2, 2, 2, 2]);
  });

  it('seals anew what a previous key opens, in all its parts, and nothing twice', async () => {
    const before = await database
      .db('mcp_configs')
      .select('id', 'config', 'revision', 'updated_at')
      .orderBy('id');
    const lines = await release(`${'x'.repeat(32)}, ${OLD}`);
    expect(lines.filter(line => line.startsWith('Sealed anew'))).to.deep.equal(
      ['MCP servers', 'REST tools', 'sources', 'webhooks', 'providers of models', 'files'].map(
        kind => `Sealed anew with SECRET_KEY: the secrets of 2 ${kind}.`,
      ),
    );
    expect(lines.filter(line => line.includes(`of 1 `))).to.have.length(6);
    expect(await countOpened(database.db, NEW)).to.deep.equal([2, 2, 2, 2, 2, 2]);
    expect(await countOpened(database.db, LOST)).to.deep.equal([1, 1, 1, 1, 1, 1]);
    expect(
      await database.db('mcp_configs').select('id', 'config', 'revision', 'updated_at').orderBy('id'),
    ).to.deep.equal(before);
    const again = await release(OLD);
    expect(again.filter(line => line.startsWith('Sealed anew'))).to.deep.equal([]);
    expect(again).to.have.length(6);
  });

  it('says so with one line of an audit, without the secrets', async () => {
    const server = ['mcp_configs', { sealed_headers: { Authorization: '***', 'X-Key': '***' } }];
    const tool = ['rest_tools', { sealed_secrets: { secret: '***' } }];
    const entries = await database.db('audit_entries').where({ operation: 'release' }).orderBy('id');
    expect(entries.map(({ table_name, before }) => [table_name, before])).to.deep.equal([
      server,
      server,
      tool,
      tool,
    ]);
  });

  it('refuses a previous key that is too short, without quoting it', async () => {
    const { code, err } = await runCommand('migrate', [], {
      DATABASE_URL: database.url,
      SECRET_KEY: NEW,
      SECRET_KEY_PREVIOUS: `${OLD},short`,
    });
    expect(code).to.not.equal(0);
    expect(err).to.equal(
      'setting "SECRET_KEY_PREVIOUS" must have keys of at least 32 characters, comma-separated\n',
    );
  });
});
