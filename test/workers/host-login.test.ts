import { Writable } from 'node:stream';
import { expect } from 'chai';
import { provideHostLogin } from '../../db/access/provide-host-login.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { SettingError } from '../../platform/field-error.ts';
import { makeLog } from '../../platform/log.ts';
import { startWorkers } from '../../workers/start.ts';
import { openService } from '../support/service.ts';

describe('workers', () => {
  const service = openService();
  before(async () => {
    service.model.say('Às **8h**.');
  });

  it('do what they do for hosts over a login that owns nothing', async () => {
    expect((await service.ask('Que horas abre?')).status).to.equal(200);
    const logins = await rowsOf<{ isOwner: boolean; did: string }>(service.db)`
      select usename = current_user as "isOwner", query as did from pg_stat_activity
      where application_name = 'parley-worker' and datname = current_database()`;
    expect(logins.some(({ isOwner }) => !isOwner)).to.equal(true);
    const hostWork = logins.filter(({ isOwner, did }) => isOwner && /parley_app/.test(did));
    expect(hostWork).to.deep.equal([]);
    expect(service.logged.filter(line => line.includes('database.owner_login'))).to.deep.equal([]);
  });

  it('say once that they use the owner’s login where there is none of their key, and work', async () => {
    const lines: string[] = [];
    const sink = new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) });
    const settings = { ...service.settings, secretKey: 'another secret key that no release has seen' };
    const workers = await startWorkers(settings, makeLog('test', 'info', sink));
    await workers.close();
    const told = lines.map(line => JSON.parse(line)).filter(({ event }) => event === 'database.owner_login');
    expect(told).to.have.length(1);
    expect(told[0].reason).to.match(/^password authentication failed for user "parley_app_/);
  });

  it('do not start where their login was changed, rather than use the owner’s', async () => {
    const [own] = await rowsOf<{ role: string }>(service.db)`
      select usename::text as role from pg_stat_activity
      where datname = current_database() and starts_with(usename, 'parley_app_')`;
    for (const change of ["password 'x'", "set search_path = 'x'"]) {
      await service.db.raw(`alter role ${own?.role} ${change}`);
      const error: unknown = await startWorkers(service.settings, makeLog('test', 'silent')).catch(
        (failed: unknown) => failed,
      );
      expect(error).to.be.instanceOf(SettingError);
      expect((error as Error).message).to.match(/^the .*database login parley_app_.*: run the release step$/);
      await provideHostLogin(service.db, service.settings.secretKey);
    }
    await (await startWorkers(service.settings, makeLog('test', 'silent'))).close();
  });
});
