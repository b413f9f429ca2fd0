import { expect } from 'chai';
import { connectAsHostLogin } from '../../db/access/host-login.ts';
import { provideHostLogin } from '../../db/access/provide-host-login.ts';
import { connect, type Db, isDatabaseUnavailable } from '../../db/connection.ts';
import { insertConversation } from '../../db/conversations/conversations.ts';
import { claimTurn, finishTurn } from '../../db/conversations/turns.ts';
import { insertReply } from '../../db/replies.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { type HostScope, toHostsScope, withHost } from '../../db/with-hosts.ts';
import { buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';
import { runIn, table } from '../support/statements.ts';

const KEY = 'a secret key of at least thirty-two letters';

describe('the login for hosts', () => {
  const database = openOnce(makeDatabase);
  const { db: owner } = database;
  const a = openOnce(() => buildHost(owner));
  let role: string;
  before(async () => {
    expect(await provideHostLogin(owner, KEY)).to.equal(undefined);
    role = await withLogin(async forHosts => {
      const [own] = await rowsOf<{ name: string }>(forHosts)`select session_user::text as name`;
      return own?.name ?? '';
    });
  });
  after(async () => {
    await owner.raw(`drop role ${role}`);
  });

  const login = (key = KEY) => connectAsHostLogin(owner, database.url, key, { max: 1 });
  const withLogin = async <T>(work: (forHosts: Db) => Promise<T>): Promise<T> => {
    const opened = await login();
    if (!('db' in opened)) throw new Error(JSON.stringify(opened));
    try {
      return await work(opened.db);
    } finally {
      await opened.db.destroy();
    }
  };
  const codeOf = (failing: Promise<unknown>) =>
    failing.then(
      () => 'nothing failed',
      error => error.code ?? error.message,
    );

  it('does all that is done for hosts', async () => {
    await withLogin(async forHosts => {
      const seen = await withHost(forHosts, a.hostId, async ({ tx }) => {
        const [own] = await rowsOf<{ user: string }>(tx)`select session_user::text as "user"`;
        return [own?.user, (await runIn(tx, table('hosts').select('id'))).map(({ id }) => id)];
      });
      expect(seen).to.deep.equal([role, [a.hostId]]);
    });
  });

  it('commits behind a last statement, or stores nothing where that fails, and takes no statement after it', async () => {
    await withLogin(async forHosts => {
      const count = async () => (await owner('conversations').where({ host_id: a.hostId })).length;
      const store = (divisor: number, after?: (scope: HostScope) => Promise<unknown>) =>
        withHost(forHosts, a.hostId, async scope => {
          await insertConversation(scope);
          await rowsOf(scope.tx, { isLast: true })`select 1 / ${divisor}::integer`;
          await after?.(scope);
        });
      const before = await count();
      await store(1);
      expect(await codeOf(store(0))).to.equal('22012');
      expect(await count()).to.equal(before + 1);
      const late = store(1, ({ tx }) => rowsOf(tx)`select 2`);
      expect(await codeOf(late)).to.match(/^The transaction has ended before/);
      const next = await withHost(forHosts, a.hostId, ({ tx }) => rowsOf(tx)`select 3 as three`);
      expect(next).to.deep.equal([{ three: 3 }]);
    });
  });

  it('stores nothing of a turn whose job has a reply, although COMMIT was sent behind its end', async () => {
    await withLogin(async forHosts => {
      const inHost = <T>(work: (scope: HostScope) => Promise<T>) => withHost(forHosts, a.hostId, work);
      const conversationId = await inHost(insertConversation);
      const claim = {
        turnId: 'end',
        conversationId,
        question: 'Oi?',
        arrivedAt: Date.now(),
        leaseMs: 60_000,
      };
      await inHost(scope => claimTurn(scope, { ...claim, remainingMs: () => 60_000 }));
      const given = { operation: 'reason', isFinal: true, outcome: { code: 200 } };
      await inHost(scope => insertReply(toHostsScope(scope), { ...given, jobId: 'ended' }));
      const end = { turnId: 'end', attempt: 1, answer: 'Olá.', tokens: [], receipt: {}, commits: true };
      const finish = (jobId: string) =>
        inHost(scope => finishTurn(scope, { ...end, reply: { ...given, jobId } }));
      const stored = async () => {
        const said = await owner('messages').where({ conversation_id: conversationId }).orderBy('seq');
        const [turn] = await owner('turns').where({ host_id: a.hostId, id: 'end' });
        return [turn.state, ...said.map(({ content }) => content)];
      };
      expect(await codeOf(finish('ended'))).to.match(/^The transaction was rolled back/);
      expect(await stored()).to.deep.equal(['running', 'Oi?']);
      expect(await finish('end')).to.equal(true);
      expect(await stored()).to.deep.equal(['answered', 'Oi?', 'Olá.']);
    });
  });

  it('sends the opening of a transaction, its statements and its end at once where none waits for another', async () => {
    await withLogin(async forHosts => {
      const connection = await forHosts.client.acquireConnection();
      let writes = 0;
      const { stream } = connection.connection;
      const { _write, _writev } = stream;
      Object.assign(stream, {
        _write: (...given: unknown[]) => ((writes += 1), Reflect.apply(_write, stream, given)),
        _writev: (...given: unknown[]) => ((writes += 1), Reflect.apply(_writev, stream, given)),
      });
      await forHosts.client.releaseConnection(connection);
      await withHost(forHosts, a.hostId, ({ tx }) =>
        Promise.all([rowsOf(tx)`select 1`, rowsOf(tx, { isLast: true })`select 2`]),
      );
      expect(writes).to.equal(1);
    });
  });

  it('has no rights left when it lays the role down, and can take no other', async () => {
    const [server] = await rowsOf<{ user: string }>(owner)`select current_user as "user"`;
    await withLogin(async forHosts => {
      for (const laysDown of ['reset role', `select set_config('role', 'none', true)`]) {
        const read = withHost(forHosts, a.hostId, async ({ tx }) => {
          await runIn(tx, laysDown);
          await runIn(tx, table('hosts').select());
        });
        expect(await codeOf(read), laysDown).to.equal('42501');
      }
      for (const takes of [`set role ${server?.user}`, `set session authorization ${server?.user}`])
        expect(await codeOf(withHost(forHosts, a.hostId, ({ tx }) => runIn(tx, takes))), takes).to.equal(
          '42501',
        );
      expect(await codeOf(forHosts('tokens').select())).to.equal('42501');
      expect(await codeOf(forHosts.raw('create table mine ()'))).to.equal('42501');
    });
  });

  it('changes no settings of a host, whatever command it pretends to be', async () => {
    const change = (db: Db) =>
      withHost(
        db,
        a.hostId,
        async ({ tx }) =>
          (await runIn(tx, `select change_host('${a.hostId}', '{"share": 4}') as may`))[0].may,
        { kind: 'command', name: 'root', operation: 'saveHost' },
      );
    expect([await withLogin(change), await change(owner)]).to.deep.equal([false, true]);
  });

  it('has a name of the database’s own and of the secret key’s', async () => {
    const other = await makeDatabase();
    expect(await provideHostLogin(other.db, KEY)).to.equal(undefined);
    const opened = await connectAsHostLogin(other.db, other.url, KEY, { max: 1 });
    if (!('db' in opened)) throw new Error(JSON.stringify(opened));
    const [own] = await rowsOf<{ name: string }>(opened.db)`select session_user::text as name`;
    expect(own?.name)
      .to.match(/^parley_app_[0-9a-f]{16}_[0-9a-f]{8}$/)
      .and.not.equal(role);
    await opened.db.destroy();
    await other.db.raw(`drop role ${own?.name}`);
    await other.drop();
    const refused = await login('another secret key of thirty-two letters');
    expect('refusal' in refused && refused.refusal)
      .to.match(/^password authentication failed for user "parley_app_/)
      .and.not.include(role);
  });

  it('is another once it was provided under another key, which leaves nothing of the old one', async () => {
    const next = 'another secret key of thirty-two letters';
    const opened = await login();
    if (!('db' in opened)) throw new Error(JSON.stringify(opened));
    await provideHostLogin(owner, next);
    await opened.db.raw('select pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
    const error: unknown = await opened.db.raw('select 1').catch((failed: unknown) => failed);
    expect(isDatabaseUnavailable(error)).to.equal(true);
    await opened.db.destroy();
    const logins = () =>
      owner('pg_roles')
        .whereLike('rolname', `${role.slice(0, -9)}%`)
        .pluck('rolname');
    expect(await logins())
      .to.have.length(1)
      .and.not.include(role);
    await provideHostLogin(owner, KEY);
    expect(await logins()).to.deep.equal([role]);
    await withLogin(async forHosts => forHosts.raw('select 1'));
  });

  it('stays under a previous key beside that of the next one, and ends when the key is no longer given', async () => {
    const next = 'another secret key of thirty-two letters';
    const isThere = async (key: string) => {
      const opened = await login(key);
      if ('db' in opened) await opened.db.destroy();
      return 'db' in opened;
    };
    expect(await provideHostLogin(owner, next, [KEY])).to.equal(undefined);
    expect([await isThere(KEY), await isThere(next)]).to.deep.equal([true, true]);
    expect(await provideHostLogin(owner, next)).to.equal(undefined);
    expect([await isThere(KEY), await isThere(next)]).to.deep.equal([false, true]);
    expect(await provideHostLogin(owner, KEY, [next])).to.equal(undefined);
    expect([await isThere(KEY), await isThere(next)]).to.deep.equal([true, true]);
    const others = await owner('pg_roles')
      .whereLike('rolname', `${role.slice(0, -9)}%`)
      .whereNot('rolname', role)
      .pluck('rolname');
    expect(others).to.have.length(1);
    await owner.raw('drop owned by ??; drop role ??', [others[0], others[0]]);
  });

  it('is told to be changed where it set itself another password or any setting, until the next release', async () => {
    const [own] = await rowsOf<{ name: string }>(owner)`select current_database() as name`;
    const settings = `the database login ${role} has settings of its own`;
    const changes = {
      "password 'x'": `the password of the database login ${role} was changed or SECRET_KEY differs`,
      "set search_path = 'x'": `${settings} (search_path)`,
      "set local_preload_libraries = 'x'": `${settings} (local_preload_libraries)`,
      [`in database "${own?.name}" set role = 'x'`]: `${settings} (role)`,
    };
    for (const [change, told] of Object.entries(changes)) {
      await withLogin(async forHosts => forHosts.raw(`alter role ${role} ${change}`));
      expect(await login(), change).to.deep.equal({ change: told });
      expect(await provideHostLogin(owner, KEY)).to.equal(undefined);
      await withLogin(async forHosts => forHosts.raw('select 1'));
    }
  });

  it('works on with settings of the role of hosts, which never count, and which a release takes back', async () => {
    await withLogin(async forHosts => {
      await withHost(forHosts, a.hostId, ({ tx }) =>
        runIn(tx, `alter role parley_app set search_path = 'x'`),
      );
    });
    await withLogin(async forHosts =>
      withHost(forHosts, a.hostId, ({ tx }) => runIn(tx, table('hosts').select('id'))),
    );
    await provideHostLogin(owner, KEY);
    const [kept] = await rowsOf<{ count: number }>(owner)`
      select count(*)::int from pg_db_role_setting where setrole = 'parley_app'::regrole`;
    expect(kept?.count).to.equal(0);
  });

  it('is not used where it may do more than take the role of hosts', async () => {
    await owner.raw(`grant pg_read_all_data to ${role}`);
    expect(await login()).to.deep.equal({ refusal: `${role} has more rights than it should` });
    await owner.raw(`revoke pg_read_all_data from ${role}`);
    await withLogin(async forHosts => forHosts.raw('select 1'));
  });

  it('cannot be had where the database user may make no roles, and says so', async () => {
    const limited = role.replace('parley_app', 'limited');
    await owner.raw(`create role ${limited} login password 'secret'; grant parley_app to ${limited}`);
    await owner.raw(`drop role ${role}`);
    const url = new URL(database.url);
    url.username = limited;
    url.password = 'secret';
    const db = connect(url.href, { max: 1 });
    expect(await provideHostLogin(db, KEY)).to.match(/^permission denied to create role/);
    await db.destroy();
    await owner.raw(`drop role ${limited}`);
    expect(await provideHostLogin(owner, KEY)).to.equal(undefined);
  });
});
