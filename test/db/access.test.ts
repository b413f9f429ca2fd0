import { expect } from 'chai';
import { hostTables, hostViews, ownerFunctions } from '../../db/access/declared-access.ts';
import { assertMigrated } from '../../db/database-checks.ts';
import { migrate } from '../../db/migrate.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';
import { runIn, table } from '../support/statements.ts';

describe('the access to hosts', () => {
  const { db } = openOnce(makeDatabase);
  const a = openOnce(() => buildHost(db));
  // Each test leaves the access as it was.

  const start = () =>
    assertMigrated(db).then(
      () => 'starts',
      (error: Error) => error.message,
    );
  const accessOf = () => rowsOf(db)`
    select relname::text as name, relrowsecurity as guarded, pg_get_expr(polqual, polrelid) as rows,
      array(select privilege_type::text from aclexplode(relacl) where grantee = 'parley_app'::regrole order by 1) as may
    from pg_class left join pg_policy on polrelid = pg_class.oid
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'v')
    union all
    select proname, prosecdef, array_to_string(proconfig, ' '),
      array(select privilege_type::text from aclexplode(proacl) where grantee = 'parley_app'::regrole)
    from pg_proc where pronamespace = 'public'::regnamespace and prosecdef
    order by 1, 2`;

  it('is declared for every table and view with rows of hosts, and for no other', async () => {
    const found = await rowsOf<{ name: string; isView: boolean }>(db)`
      select relname as name, relkind = 'v' as "isView" from pg_class
      join pg_attribute on attrelid = pg_class.oid and attname = 'host_id'
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'v') and relname <> 'token_hosts'`;
    const names = (isView: boolean) =>
      found.flatMap(each => (each.isView === isView ? each.name : [])).toSorted();
    const always = Object.keys(hostTables).filter(name => name !== 'chunk_embeddings');
    expect([...names(false), 'hosts'].toSorted()).to.deep.equal(always.toSorted());
    expect(names(true)).to.deep.equal([...hostViews].toSorted());
  });

  it('is the same after a backup was restored without roles, once it was released; no process starts before', async () => {
    const whole = await accessOf();
    expect(await start()).to.equal('starts');
    // As after `pg_restore` on a server without the role: no policy, no grant.
    await db.raw('drop owned by parley_app');
    expect(await start()).to.match(/^row-level security is incomplete .*: run the release step/);
    await migrate(db);
    expect(await accessOf()).to.deep.equal(whole);
    expect(await start()).to.equal('starts');
    const seen = await a.inHost(({ tx }) => runIn(tx, table('messages').select('host_id')));
    expect(seen.length).to.be.above(0);
  });

  const damages: Readonly<Record<string, string>> = {
    'row-level security is switched off': 'alter table leads disable row level security',
    'a policy is missing': 'drop policy of_host on tickets',
    'a policy is for everybody':
      'drop policy of_host on chunks; create policy of_host on chunks using (true)',
    'a grant is missing': 'revoke insert on messages from parley_app',
    'a grant is too many': 'grant delete on hosts to parley_app',
    'everybody may read a table': 'grant select on contacts to public',
    'a table of ours is granted': 'grant select on tokens to parley_app',
    'a function may not be called': 'revoke execute on function search_hybrid from parley_app',
    'everybody may call a function': 'grant execute on function readable_datasets_of to public',
    'a function looks elsewhere first': 'alter function store_words() set search_path = pg_temp, public',
  };
  for (const [what, damage] of Object.entries(damages)) {
    it(`stops every start where ${what}, and is mended by a release`, async () => {
      const whole = await accessOf();
      await db.raw(damage);
      expect(await start()).to.match(/^row-level security is incomplete \(/);
      await migrate(db);
      expect(await accessOf()).to.deep.equal(whole);
      expect(await start()).to.equal('starts');
    });
  }

  it('is mended where a policy lets more be seen than it should', async () => {
    const whole = await accessOf();
    await db.raw('alter policy of_host on replies using (true)');
    await migrate(db);
    expect(await accessOf()).to.deep.equal(whole);
  });

  it('has no function that runs as its owner and looks for tables among temporary ones first', async () => {
    const found = await rowsOf<{ name: string; settings: string[] }>(db)`
      select proname as name, proconfig as settings from pg_proc
      where prosecdef and pronamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
      order by 1`;
    const never = ['chunk_neighbours', 'note_text'];
    expect(found.map(({ name }) => name)).to.deep.equal(
      Object.keys(ownerFunctions)
        .filter(name => !never.includes(name))
        .toSorted(),
    );
    for (const { name, settings } of found) expect(settings, name).to.include('search_path=public, pg_temp');
  });

  it('lets nobody make temporary tables, and where somebody may, runs none of their triggers as the owner', async () => {
    const temporary =
      'create temporary table chunk_words (host_id uuid, word text, primary key (host_id, word))';
    await migrate(db);
    const refused = await a.inHost(({ tx }) => runIn(tx, temporary)).catch(error => error.code);
    expect(refused).to.equal('42501');
    const [own] = await rowsOf<{ name: string }>(db)`select current_database() as name`;
    await db.raw(`grant temporary on database ${own?.name} to public`);
    const inserting = a.inHost(async ({ tx }) => {
      await runIn(
        tx,
        `${temporary};
      create function pg_temp.catch() returns trigger language plpgsql as $$
        begin raise exception 'ran as %', current_user; end $$;
      create trigger caught before insert on chunk_words for each row execute function pg_temp.catch()`,
      );
      const chunk = { dataset_id: a.datasetId, content: 'ornitorrinco', token_count: 1 };
      await runIn(tx, table('chunks').insert({ host_id: a.hostId, ...chunk }));
    });
    const caught = await inserting.catch(error => error.message);
    expect(caught).to.equal(undefined);
    expect(await db('public.chunk_words').where({ word: 'ornitorrinco' })).to.have.length(1);
  });
});
