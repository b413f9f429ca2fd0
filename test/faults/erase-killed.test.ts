import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createHost } from '../../db/hosts/hosts.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { makeDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { openOnce } from '../support/opened.ts';
import { argsOf } from '../support/program.ts';
import { waitForLock } from '../support/wait-for-lock.ts';

const EMAIL = 'canario.zenobio@exemplo.test';

describe('npm run erase that is killed', () => {
  const database = openOnce(makeDatabase);
  const { db } = database;

  const startErase = () =>
    spawn(process.execPath, [...argsOf('commands/erase.ts'), '--host', 'own', '--contact', EMAIL], {
      env: { DATABASE_URL: database.url, SECRET_KEY: 's'.repeat(32) },
      stdio: 'ignore',
    });
  const sessions = () => rowsOf(db)`
    select from pg_stat_activity
    where datname = current_database() and application_name = 'parley-command'`;

  it('ends its session in the database, also while a statement runs or waits', async () => {
    const host_id = (await createHost(db, { slug: 'own', name: 'Own' }))?.id;
    await db('contacts').insert({ host_id, email: EMAIL });
    await db.transaction(async tx => {
      await tx('contacts').where({ host_id }).forUpdate();
      const command = startErase();
      const ended = once(command, 'exit');
      await waitForLock(tx);
      command.kill('SIGKILL');
      await ended;
      await eventually(sessions, { length: 0 });
    });
  });
});
