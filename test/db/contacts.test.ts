import { expect } from 'chai';
import { type ContactData, upsertContact } from '../../db/conversations/contacts.ts';
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
