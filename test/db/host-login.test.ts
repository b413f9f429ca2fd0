import { expect } from 'chai';
import { connectAsHostLogin, provideHostLogin } from '../../db/access/host-login.ts';
import { connect, type Db, isDatabaseTrouble } from '../../db/connection.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { useForHosts, withHost } from '../../db/with-hosts.ts';
import { type BuiltHost, buildHost } from '../support/build-host.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';

const KEY = 'a secret key of at least thirty-two letters';

describe('the login for hosts', function () {
  this.timeout(30_000);
  let database: TestDatabase;
  let owner: Db;
  let a: BuiltHost;
  let role: string;
  before(async () => {
    database = await makeDatabase();
    owner = database.db;
    a = await buildHost(owner);
    expect(await provideHostLogin(owner, KEY)).to.equal(undefined);
    role = await withLogin(async forHosts => {
      const [own] = await rowsOf<{ name: string }>(forHosts)`select session_user::text as name`;
      return own?.name ?? '';
    });
  });
  after(async () => {
    await owner.raw(`drop role ${role}`);
    await database.drop();
  });

  const login = (key = KEY) => connectAsHostLogin(owner, database.url, key, { max: 1 });
  const withLogin = async <T>(work: (forHosts: Db) => Promise<T>): Promise<T> => {
    const opened = await login();
    if ('refusal' in opened) throw new Error(opened.refusal);
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
      const db = connect(database.url, { max: 1 });
      useForHosts(db, forHosts);
      const seen = await withHost(db, a.hostId, async ({ tx }) => {
        const [own] = await rowsOf<{ user: string }>(tx)`select session_user::text as "user"`;
        return [own?.user, await tx('hosts').pluck('id')];
      });
      expect(seen).to.deep.equal([role, [a.hostId]]);
      await db.destroy();
    });
  });

  it('has no rights left when it lays the role down, and can take no other', async () => {
    const [server] = await rowsOf<{ user: string }>(owner)`select current_user as "user"`;
    await withLogin(async forHosts => {
      for (const laysDown of ['reset role', `select set_config('role', 'none', true)`]) {
        const read = withHost(forHosts, a.hostId, async ({ tx }) => {
          await tx.raw(laysDown);
          await tx('hosts').select();
        });
        expect(await codeOf(read), laysDown).to.equal('42501');
      }
      for (const takes of [`set role ${server?.user}`, `set session authorization ${server?.user}`])
        expect(await codeOf(withHost(forHosts, a.hostId, ({ tx }) => tx.raw(takes))), takes).to.equal(
          '42501',
        );
      expect(await codeOf(forHosts('tokens').select())).to.equal('42501');
      expect(await codeOf(forHosts.raw('create table mine ()'))).to.equal('42501');
    });
  });

  it('has a name of the database’s own, and a password of the secret key', async () => {
    const other = await makeDatabase();
    expect(await provideHostLogin(other.db, KEY)).to.equal(undefined);
    const opened = await connectAsHostLogin(other.db, other.url, KEY, { max: 1 });
    if ('refusal' in opened) throw new Error(opened.refusal);
    const [own] = await rowsOf<{ name: string }>(opened.db)`select session_user::text as name`;
    expect(own?.name)
      .to.match(/^parley_app_[0-9a-f]{16}$/)
      .and.not.equal(role);
    await opened.db.destroy();
    await other.db.raw(`drop role ${own?.name}`);
    await other.drop();
    expect(await login('another secret key of thirty-two letters')).to.deep.equal({
      refusal: `password authentication failed for user "${role}"`,
    });
  });

  it('takes the new password once it was provided under another key, and is trouble until then', async () => {
    const next = 'another secret key of thirty-two letters';
    const opened = await login();
    if ('refusal' in opened) throw new Error(opened.refusal);
    await provideHostLogin(owner, next);
    await opened.db.raw('select pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
    const error: unknown = await opened.db.raw('select 1').catch((failed: unknown) => failed);
    expect(isDatabaseTrouble(error)).to.equal(true);
    await opened.db.destroy();
    await provideHostLogin(owner, KEY);
    await withLogin(async forHosts => forHosts.raw('select 1'));
  });

  it('is not used where it may do more than take the role of hosts', async () => {
    await owner.raw(`grant pg_read_all_data to ${role}`);
    expect(await login()).to.deep.equal({ refusal: `${role} may more than it should` });
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
