import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';
import { argsOf } from '../support/program.ts';
import { runCommand } from '../support/run-command.ts';
import { waitForLock } from '../support/wait-for-lock.ts';
import { countOpened, storeSealed } from './sealed-rows.ts';

const OLD = 'the key before it of thirty-two letters';
const NEW = 'the key from now on, of thirty-two letters';
/** Of each of three kinds, with two secrets each: 10,200 in all. */
const EACH = 1_700;

describe('release that seals ten thousand secrets anew', () => {
  const database = openOnce(makeDatabase);
  before(async () => {
    const host = await buildHost(database.db);
    await database.db('host_providers').delete();
    await database.db('files').delete();
    await database.db('crm_sources').delete();
    await storeSealed(database.db, host, OLD, EACH);
  });

  it('may be killed in the middle and run twice, and loses none', async () => {
    const { db } = database;
    const settings = { DATABASE_URL: database.url, SECRET_KEY: NEW, SECRET_KEY_PREVIOUS: OLD };
    // A row in the middle is held, so that it stops there.
    const [held] = await db('crm_sources')
      .orderBy('id')
      .offset(EACH / 2)
      .limit(1)
      .select('id');
    const holding = await db.transaction();
    await holding('crm_sources').where({ id: held.id }).forUpdate();
    const release = spawn(process.execPath, argsOf('commands/migrate.ts'), {
      env: { PATH: process.env['PATH'], ...settings },
      stdio: 'ignore',
    });
    const ended = once(release, 'exit');
    await waitForLock(holding);
    release.kill('SIGKILL');
    expect(await ended).to.deep.equal([null, 'SIGKILL']);
    await holding.rollback();
    const [[newWebhooks, newServers, newTools, newSources], [, , , oldSources]] = [
      await countOpened(db, NEW),
      await countOpened(db, OLD),
    ];
    expect([newWebhooks, newServers, newTools]).to.deep.equal([0, EACH, EACH]);
    expect(newSources).to.be.within(1, EACH - 1);
    expect(newSources + oldSources, 'each is of one key or the other').to.equal(EACH);
    const first = await runCommand('migrate', [], settings);
    expect(first.err).to.include(`the secrets of ${oldSources} sources`).and.to.include(`${EACH} webhooks`);
    expect(await countOpened(db, NEW)).to.deep.equal([EACH, EACH, EACH, EACH, EACH, EACH]);
    const second = await runCommand('migrate', [], settings);
    expect([first.code, second.code, second.err.includes('SECRET_KEY')]).to.deep.equal([0, 0, false]);
    expect(await countOpened(db, NEW)).to.deep.equal([EACH, EACH, EACH, EACH, EACH, EACH]);
  });
});
