import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer } from 'node:net';
import { expect } from 'chai';
import { connect, isDatabaseUnavailable } from '../../db/connection.ts';
import { checkLogin, ping } from '../../db/database-checks.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { SettingError } from '../../platform/field-error.ts';
import { startWithAttempts } from '../../platform/start-attempts.ts';
import { makeDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { openOnce } from '../support/opened.ts';
import { makeSwitchableProxy } from '../support/switchable-proxy.ts';

/** A busy machine may take longer to connect than the service may. */
const patient = { acquireWithinMs: 60_000, connectWithinMs: 60_000 };

describe('connect', () => {
  const database = openOnce(() => makeDatabase('empty'));

  it('outlives the death of an idle connection', async () => {
    const db = connect(database.url, { max: 1 });
    const [before] = await rowsOf<{ pid: number }>(db)`select pg_backend_pid() as pid`;
    await rowsOf(database.db)`select pg_terminate_backend(${before?.pid ?? 0}, 5000)`;
    // A statement that is sent before the end of the connection was read fails.
    const ask = () => rowsOf<{ pid: number }>(db)`select pg_backend_pid() as pid`.catch(() => []);
    const [after] = await eventually(ask, rows => rows.length > 0);
    expect(after?.pid).to.be.a('number').and.not.equal(before?.pid);
    await db.destroy();
  });

  it('hands out none of its connections again once a statement on one was not answered', async () => {
    const proxy = await makeSwitchableProxy(database.url);
    const through = Object.assign(new URL(database.url), { port: new URL(proxy.url).port });
    const db = connect(through.href, { max: 3, answerWithinMs: 1_000, ...patient });
    const askAtOnce = async (count: number) => {
      const asked = Array.from({ length: count }, () => rowsOf(db)`select pg_sleep(0.1)`);
      return (await Promise.allSettled(asked)).map(({ status }) => status);
    };
    await askAtOnce(3);
    proxy.silence();
    expect(await askAtOnce(1)).to.deep.equal(['rejected']);
    expect(await askAtOnce(3)).to.deep.equal(['fulfilled', 'fulfilled', 'fulfilled']);
    await db.destroy();
    await proxy.close();
  });

  it('waits 2 s for a connection, and fails then', async () => {
    const db = connect(database.url, { max: 1 });
    await db.transaction(async () => {
      const startedAt = performance.now();
      const failure = await db.raw('select 1').catch(error => error);
      expect(failure).to.be.an('error');
      expect(performance.now() - startedAt).to.be.above(1_500);
    });
    await db.destroy();
  });

  it('waits longer for one that is opened where work waits longer for a free one', async () => {
    const address = new URL(database.url);
    const slow = createServer(client =>
      setTimeout(() => {
        const server = createConnection(Number(address.port), address.hostname);
        client.pipe(server).pipe(client);
        for (const socket of [client, server]) socket.on('error', () => undefined);
      }, 700),
    ).listen(0, '127.0.0.1');
    await once(slow, 'listening');
    const through = new URL(database.url);
    through.hostname = '127.0.0.1';
    through.port = String((slow.address() as AddressInfo).port);
    const [hasty, patient] = [
      connect(through.href, { acquireWithinMs: 200 }),
      connect(through.href, { acquireWithinMs: 60_000 }),
    ];
    const [refused, answered] = await Promise.allSettled([hasty.raw('select 1'), patient.raw('select 1')]);
    expect([refused.status, answered.status]).to.deep.equal(['rejected', 'fulfilled']);
    // A start may open its connections on a busy machine.
    const starting = connect(through.href, { acquireWithinMs: 200 });
    const started = startWithAttempts({ warn: ({ reason }) => expect.fail(reason) }, () => ping(starting));
    expect(await started).to.equal(undefined);
    await Promise.all([hasty.destroy(), patient.destroy(), starting.destroy()]);
    slow.close();
  });

  it('lets no statement run longer than 5 s, and says who it is', async () => {
    const db = connect(database.url, { applicationName: 'parley-check' });
    const settings = await rowsOf(db)`
      select current_setting('statement_timeout') as limit, current_setting('application_name') as name`;
    expect(settings).to.eql([{ limit: '5s', name: 'parley-check' }]);
    await db.destroy();
  });
});

describe('an unavailable database', () => {
  it('is known by its code, of the server or of the network', () => {
    const codes = '57P01 57P02 57P03 25006 57014 40P01 53300 08006 28P01'.split(' ');
    const ofNetwork = 'ECONNREFUSED ECONNRESET EHOSTUNREACH ENETUNREACH ENETDOWN EPIPE ETIMEDOUT'.split(' ');
    const unknown = [...codes, ...ofNetwork].filter(
      code => !isDatabaseUnavailable(Object.assign(new Error(code), { code })),
    );
    expect(unknown).to.deep.equal([]);
  });

  it('is no statement that is wrong, whatever it is about', () => {
    const codes = ['23505', '42P01', '22P02', '25P02', '42501', 'PT408', 'ERR_INVALID_ARG_TYPE'];
    const taken = codes.filter(code => isDatabaseUnavailable(Object.assign(new Error(code), { code })));
    expect(taken).to.deep.equal([]);
  });
});

describe('the login of DATABASE_URL', () => {
  it('that the server refuses is a wrong setting, and a server that does not answer is none', async () => {
    const { url, drop } = await makeDatabase('empty');
    const change = (changed: object, search = '') => `${Object.assign(new URL(url), changed).href}${search}`;
    const refusals = {
      'no such database': change({ pathname: '/timeout' }),
      'no such user': change({ username: 'nobody', password: 'a-secret' }),
      'no TLS': change({}, '?sslmode=verify-full'),
    };
    for (const [what, refused] of Object.entries(refusals)) {
      const db = connect(refused, patient);
      const error = await checkLogin(db).catch((cause: unknown) => cause);
      expect(error, what).to.be.instanceOf(SettingError);
      expect((error as Error).message, what)
        .to.match(/^setting "DATABASE_URL" is refused by the server: /)
        .and.not.include('a-secret');
      await db.destroy();
    }
    const away = connect(change({ port: '1' }), patient);
    expect(await checkLogin(away).catch((cause: unknown) => cause))
      .to.be.an('error')
      .and.not.instanceOf(SettingError);
    await away.destroy();
    await drop();
  });
});

describe('ping', () => {
  it('resolves when the database answers and rejects when it does not', async () => {
    const database = await makeDatabase('empty');
    const nobody = connect('postgres://nobody@127.0.0.1:1/none');
    await ping(database.db);
    expect(await ping(nobody).catch(() => 'no answer')).to.equal('no answer');
    await nobody.destroy();
    await database.drop();
  });
});
