import { Writable } from 'node:stream';
import { expect } from 'chai';
import { rowsOf } from '../../db/rows-of.ts';
import { makeLog } from '../../log.ts';
import { startWorkers } from '../../workers/start.ts';
import { say } from '../support/scripted-model.ts';
import { type Service, startService } from '../support/service.ts';

describe('workers', function () {
  this.timeout(30_000);
  let service: Service;
  before(async () => {
    service = await startService({ indexer: false });
    service.model.script(say('Às **8h**.'));
  });
  after(() => service.close());

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

  it('say once that they use the owner’s login where their own is refused, and work', async () => {
    const lines: string[] = [];
    const sink = new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) });
    const settings = { ...service.settings, secretKey: 'another secret key that no release has seen' };
    const workers = await startWorkers(settings, makeLog('test', 'info', sink));
    await workers.close();
    const told = lines.map(line => JSON.parse(line)).filter(({ event }) => event === 'database.owner_login');
    expect(told).to.have.length(1);
    expect(told[0].reason).to.match(/^password authentication failed for user "parley_app_/);
  });
});
