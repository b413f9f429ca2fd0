import { expect } from 'chai';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';
import { runCommand } from '../support/run-command.ts';

describe('the commands token and host', () => {
  const database = openOnce(makeDatabase);

  const run = (name: string, ...args: string[]) =>
    runCommand(name, args, { DATABASE_URL: database.url, SECRET_KEY: 's'.repeat(32) });

  it('say what they have done, and list under a header with a name for every column', async () => {
    expect((await run('host', 'create', '--slug', 'uni', '--name', 'Uni')).out).to.match(
      /^id\tslug\tname\t.*\n\S+\tuni\tUni\t/,
    );
    expect(await run('token', 'list')).to.include({ code: 0, out: '', err: 'There are none.\n' });
    expect((await run('token', '--help')).err).to.match(/^npm run token -- link$/m);
    await run('token', 'create', '--host', 'uni');
    for (const name of ['host', 'token']) {
      const [header = '', line = ''] = (await run(name, 'list')).out.split('\n');
      expect(header.split('\t')[0]).to.equal(name === 'host' ? 'id' : 'tokenId');
      expect(line.split('\t'), line).to.have.length(header.split('\t').length);
    }
    const [, line = ''] = (await run('token', 'list')).out.split('\n');
    const revoked = await run('token', 'revoke', line.split('\t')[0] ?? '');
    expect(revoked.out).to.match(/^tokenId\n[0-9a-f-]{36}\n$/);
  });

  it('say in one line that a database without the schema needs the release step, and show no SQL', async () => {
    const empty = await makeDatabase('empty');
    try {
      const settings = { DATABASE_URL: empty.url, SECRET_KEY: 's'.repeat(32) };
      for (const [name, ...args] of [
        ['host', 'list'] as const,
        ['token', 'create', '--host', 'uni'] as const,
      ]) {
        const { out, err } = await runCommand(name, args, settings);
        expect(out).to.equal('');
        expect(err).to.match(/^the database lacks the migration .*: run the release step, .*\n$/);
      }
    } finally {
      await empty.drop();
    }
  });
});
