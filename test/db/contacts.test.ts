import { expect } from 'chai';
import { type ContactData, upsertContact } from '../../db/conversations/contacts.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { cpfOf } from '../../text/contact.ts';
import { buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { openEach, openOnce } from '../support/opened.ts';

describe('contacts', () => {
  const { db } = openOnce(makeDatabase);
  const host = openEach(() => buildHost(db));
  beforeEach(() => db('contacts').delete());

  const upsert = (data: ContactData, { inHost } = host) => inHost(scope => upsertContact(scope, data));
  const version = () => db('contacts').first(db.raw('xmin::text'));
  const all = () =>
    db('contacts').select('name', 'email', 'phone', 'cpf', 'external_id').orderBy('created_at');

  it('are one by their e-mail in any case of letters, and are filled in', async () => {
    const id = await upsert({ name: 'Bia', email: 'Bia@uni.example', phone: '(11) 94002-1900' });
    expect(await upsert({ email: ' bia@UNI.example ', cpf: '529.982.247-25', externalId: 'x1' })).to.equal(
      id,
    );
    expect(await all()).to.eql([
      {
        name: 'Bia',
        email: 'bia@UNI.example',
        phone: '(11) 94002-1900',
        cpf: '529.982.247-25',
        external_id: 'x1',
      },
    ]);
  });

  it('are one by their phone only where one side has no e-mail', async () => {
    const phone = '11 94002-1900';
    const mother = await upsert({ email: 'mae@uni.example', phone });
    expect(await upsert({ phone: '(11)940021900' })).to.equal(mother);
    const child = await upsert({ email: 'filho@uni.example', phone });
    expect(child).to.not.equal(mother);
    expect(await all()).to.have.length(2);
  });

  it('get the e-mail that they lacked', async () => {
    const id = await upsert({ phone: '11 94002-1900' });
    expect(await upsert({ email: 'bia@uni.example', phone: '1194002-1900' })).to.equal(id);
    expect(await upsert({ email: 'bia@uni.example' })).to.equal(id);
  });

  it('are two where both have a valid CPF and not the same one, whatever else they share', async () => {
    const [ana, bruno, wrong] = ['529.982.247-25', '11144477735', '111.444.777-36'];
    for (const shared of [{ email: 'naotem@uni.example' }, { phone: '11 94002-1900' }]) {
      const first = await upsert({ ...shared, name: 'Ana', cpf: ana });
      const second = await upsert({ ...shared, name: 'Bruno', cpf: bruno });
      expect(second).to.not.equal(first);
      expect(await upsert({ ...shared, cpf: '52998224725' })).to.equal(first);
      expect(await upsert({ ...shared, cpf: bruno })).to.equal(second);
      // Without a valid one, as ever: the older of them, which keeps its own.
      expect(await upsert({ ...shared, cpf: wrong })).to.equal(first);
      expect(await upsert(shared)).to.equal(first);
      expect(await upsert({ ...shared, cpf: '111.444.777-35' })).to.equal(second);
    }
    expect((await all()).map(({ name, cpf }) => [name, cpf])).to.eql([
      ['Ana', '52998224725'],
      ['Bruno', '111.444.777-35'],
      ['Ana', '52998224725'],
      ['Bruno', '111.444.777-35'],
    ]);
  });

  it('are one where one of them has no valid CPF, which it gets', async () => {
    const email = 'bia@uni.example';
    const id = await upsert({ email, cpf: '111.111.111-11' });
    expect(await upsert({ email, cpf: '529.982.247-25' })).to.equal(id);
    expect(await upsert({ email, cpf: '111.444.777-35' })).to.not.equal(id);
    expect(await upsert({ phone: '11 94002-1900', email: 'x@uni.example' })).to.be.a('string');
    const both = { phone: '11 94002-1900', cpf: '529.982.247-25' };
    expect(await upsert({ ...both, email: 'x@uni.example' })).to.equal(await upsert(both));
  });

  it('have as CPF what the check digits say', async () => {
    const cpfs = [
      '52998224725',
      '529.982.247-26',
      '11111111111',
      '1',
      '',
      'abc',
      '00000000191',
      '12345678909',
      '1234567890',
    ];
    const rows = await rowsOf<{ key: string | null }>(
      db,
    )`select cpf_key(given) as key from unnest(${cpfs}::text[]) given`;
    expect(rows.map(({ key }) => key)).to.eql(cpfs.map(cpf => cpfOf(cpf) ?? null));
  });

  it('are none without an e-mail and a phone', async () => {
    expect(await upsert({ name: 'Bia', email: ' ', phone: '-' })).to.equal(undefined);
    expect(await upsert({})).to.equal(undefined);
    expect(await all()).to.eql([]);
  });

  it('are not written again when nothing is new', async () => {
    const data = { name: 'Bia', email: 'bia@uni.example' };
    await upsert(data);
    const before = await version();
    await upsert(data);
    expect(await version()).to.eql(before);
  });

  it('are one however many turns name them at once', async () => {
    for (const data of [{ email: 'bia@uni.example' }, { phone: '11 94002-1900' }]) {
      const ids = await Promise.all(Array.from({ length: 8 }, () => upsert({ name: 'Bia', ...data })));
      expect(new Set(ids).size).to.equal(1);
      expect(ids[0]).to.be.a('string');
    }
    expect(await all()).to.have.length(2);
  });

  it('of another host are others', async () => {
    const id = await upsert({ email: 'bia@uni.example' });
    expect(await upsert({ email: 'bia@uni.example' }, await buildHost(db))).to.not.equal(id);
  });
});
