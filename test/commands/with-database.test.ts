import { expect } from 'chai';
import { withDatabase } from '../../commands/with-database.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';

describe('the connections of a command', () => {
  const database = openOnce(makeDatabase);

  it('have as long to open as at a start, because no request waits for them', async () => {
    const settings = { DATABASE_URL: database.url, SECRET_KEY: 's'.repeat(32) };
    const usual = Object.keys(settings).map(name => [name, process.env[name]] as const);
    Object.assign(process.env, settings);
    const limits: number[] = [];
    await withDatabase(async ({ client }) => {
      limits.push(client.pool.acquireTimeoutMillis, client.connectionSettings.connectionTimeoutMillis);
    });
    for (const [name, value] of usual)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    expect(limits).to.deep.equal([15_000, 15_000]);
  });
});
