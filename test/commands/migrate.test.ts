import { expect } from 'chai';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import { runCommand } from '../support/run-command.ts';

describe('migrate --seed', () => {
  let database: TestDatabase;
  before(async () => {
    database = await makeDatabase('seeded');
  });
  after(() => database.drop());

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
