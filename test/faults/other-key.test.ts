import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { makeLog } from '../../platform/log.ts';
import { startWorkers, type Workers } from '../../workers/start.ts';
import { endedRecordsOf } from '../support/conversation-records.ts';
import { eventually } from '../support/eventually.ts';
import { openEach } from '../support/opened.ts';
import { hold, say } from '../support/scripted-model.ts';
import { openOwnService, type Service, startService } from '../support/service.ts';

describe('a service without the processes that it needs', () => {
  const service = openOwnService(() => ({ workers: false, requestTimeoutMs: 5_000 }));
  let workers: Workers | undefined;
  const logged: string[] = [];
  after(async () => {
    await workers?.close();
  });
  const health = (path: string) => service.call(path, undefined, { token: undefined });

  it('says which are missing: the worker of each queue, and the indexer', async () => {
    const { status, body } = await health('/health/workers');
    expect(status).to.equal(503);
    expect(body.missing).to.include.members(['worker of turns', 'worker of catalog', 'indexer']);
    const ready = await health('/health/ready');
    expect(ready.status).to.equal(503);
    expect(ready.body.checks).to.deep.equal({
      database: 'ok',
      migrations: 'ok',
      process: 'ok',
      queue: 'ok',
      workers: 'down',
    });
    expect(ready.body.reasons.workers).to.include('worker of turns');
  });

  it('is not ready while its only worker has another SECRET_KEY, which that worker says once', async () => {
    const sink = { write: (line: string) => void logged.push(line) };
    const settings = { ...service.settings, secretKey: 'another secret key of more than 32 letters' };
    workers = await startWorkers(settings, makeLog('worker', 'info', sink));
    const { body } = await eventually(
      () => health('/health/ready'),
      ({ body: { checks } }) => checks.queue === 'down',
    );
    expect(body.checks).to.include({ queue: 'down', workers: 'down', database: 'ok' });
    expect(body.reasons.queue).to.include('SECRET_KEY');
    const seen = await health('/health/workers');
    expect(seen.body.missing).to.deep.equal(['indexer']);
    expect(seen.body.other_secret_key).to.have.length(1);
    const conversationId = randomUUID();
    const asked = [1, 2, 3].map(() => service.ask('Oi?', { conversationId }));
    for (const { status } of await Promise.all(asked)) expect(status).to.equal(503);
    const told = logged.filter(line => line.includes('"job.unreadable"'));
    expect(told).to.have.length(1);
    expect(told.join()).to.include('SECRET_KEY');
  });
});

describe('a database that takes no writes', () => {
  const service = openEach(() => startService());

  it('makes the api not ready while its disk is full, although rows with room in their page still change', async () => {
    await service.db.raw(`
      create function refuse_page() returns trigger language plpgsql as
        $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
      create trigger refuse_page before insert on write_probe for each row execute function refuse_page();
      create trigger refuse_page before insert on messages for each row execute function refuse_page()`);
    const ready = () => service.call('/health/ready');
    const { body } = await eventually(ready, { status: 503 });
    expect(body.checks.database).to.equal('down');
    expect((await service.ask('Oi?')).status).to.equal(503);
    const lost = () => service.logged.filter(line => line.includes('"database.lost"'));
    await eventually(lost, lines => lines.some(line => line.includes('the disk of PostgreSQL is full')));
    await service.db.raw('drop function refuse_page cascade');
    await eventually(ready, { status: 200 });
    expect(await service.db('write_probe')).to.be.empty;
  });

  it('makes the api not ready, answers calls with 503, is told of once, and all is well when it takes them again', async () => {
    const ready = () => service.call('/health/ready');
    await setReadOnly(service, 'on');
    const { body } = await eventually(ready, { status: 503 });
    expect(body.checks.database).to.equal('down');
    expect((await service.ask('Oi?', { conversationId: randomUUID() })).status).to.equal(503);
    const lost = () => service.logged.filter(line => line.includes('"database.lost"'));
    await eventually(lost, lines => lines.some(line => line.includes('PostgreSQL is read-only')));
    await setReadOnly(service, 'off');
    await eventually(ready, { status: 200 });
  });

  it('leaves no turn running that failed meanwhile, whether its job ended or runs again', async () => {
    const held = hold(say('Tarde.'));
    service.model.script(held.script);
    const conversationId = await service.newConversation();
    const asked = service.ask('Em mãos?', { conversationId });
    // One that is refused before the model is asked fails here, with its reply.
    expect(await Promise.race([held.held, asked.then(({ body }) => body)])).to.equal(undefined);
    await setReadOnly(service, 'on');
    held.release();
    // By its deadline, or a moment after it.
    expect((await asked).status).to.be.oneOf([408, 503]);
    await setReadOnly(service, 'off');
    const { turns } = await endedRecordsOf(service.db, conversationId);
    expect(turns).to.have.length(1);
  });
});

/** For all sessions but this one, which are ended. */
async function setReadOnly({ db }: Service, value: 'on' | 'off'): Promise<void> {
  const { rows } = await db.raw('select current_database() as name');
  await db.raw('set default_transaction_read_only = off');
  await db.raw(`alter database "${rows[0].name}" set default_transaction_read_only = ${value}`);
  await db.raw(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  );
}
