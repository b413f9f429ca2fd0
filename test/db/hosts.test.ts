import { expect } from 'chai';
import { createHost, findHost, findHostBySlug, listHosts, setHost } from '../../db/hosts/hosts.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { withHost } from '../../db/with-hosts.ts';
import { buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { openEach } from '../support/opened.ts';

describe('hosts', () => {
  const { db } = openEach(makeDatabase);

  it('are made with the settings of a Brazilian office, and no second time', async () => {
    const host = await createHost(db, { slug: 'uni', name: 'Uni' });
    expect(host).to.deep.include({
      timeZone: 'America/Sao_Paulo',
      businessHours: [
        { days: [1, 2, 3, 4, 5], from: '08:00', to: '18:00' },
        { days: [6], from: '08:00', to: '12:00' },
      ],
      maxChunks: 10,
      chunkSizeLimit: 8_000,
      share: 1,
      modelFallbacks: [],
      mask: false,
      maskImages: 'refuse',
      disabled: false,
      picture: '',
    });
    expect(await createHost(db, { slug: 'uni', name: 'Other' })).to.equal(undefined);
    expect(await findHostBySlug(db, 'uni')).to.eql(host);
    expect(await withHost(db, host?.id ?? '', findHost)).to.eql(host);
  });

  it('change in what is given and in nothing else', async () => {
    const host = await createHost(db, { slug: 'uni', name: 'Uni', maxChunks: 3 });
    const businessHours = [{ days: [7], from: '10:00', to: '11:30' }];
    const changed = await setHost(db, 'uni', { businessHours, timeZone: 'America/Manaus' });
    expect(changed).to.eql({ ...host, businessHours, timeZone: 'America/Manaus' });
    expect(await setHost(db, 'nobody', { name: 'x' })).to.equal(undefined);
  });

  it('are not made at all with a setting that is wrong', async () => {
    const numbers = [{ maxChunks: 0 }, { chunkSizeLimit: -1 }, { share: 0 }, { share: 11 }];
    for (const wrong of [{ timeZone: 'America/Atlantis' }, ...numbers, { name: '' }]) {
      const made = createHost(db, { slug: 'uni', name: 'Uni', ...wrong });
      expect(await made.catch(() => 'refused'), JSON.stringify(wrong)).to.equal('refused');
    }
    const named = createHost(db, { slug: 'Not a slug', name: 'x' });
    expect(await named.catch(() => 'refused')).to.equal('refused');
    expect(await listHosts(db)).to.eql([]);
  });

  it('take everything of theirs along when they go', async () => {
    const { hostId } = await buildHost(db);
    await buildHost(db);
    await db('hosts').where({ id: hostId }).delete();
    // The outbox keeps delete events until they are indexed, objects of files are listed until they are gone, the audit tells of all.
    const tables = await rowsOf<{ table: string }>(db)`
      select table_name as "table" from information_schema.columns
      where table_schema = 'public' and column_name = 'host_id' and table_name not in
        ('token_hosts', 'search_outbox', 'file_objects', 'audit_entries')`;
    for (const { table } of tables) {
      expect(await db(table).where({ host_id: hostId }), table).to.eql([]);
      expect(await db(table), table).to.not.eql([]);
    }
  });
});
