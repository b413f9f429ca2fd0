import { expect } from 'chai';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';
import { runCommand } from '../support/run-command.ts';

describe('migrate --seed', () => {
  const database = openOnce(() => makeDatabase('seeded'));

  it('says that it did nothing where there are hosts', async () => {
    const settings = { DATABASE_URL: database.url, SECRET_KEY: 'the secret key of all these tests together' };
    const { code, out, err } = await runCommand('migrate', ['--seed'], {
      ...settings,
      APP_ENV: 'development',
    });
    expect(err).to.include('Nothing was seeded');
    expect([code, out]).to.deep.equal([0, 'The database is up to date.\n']);
  });
});
