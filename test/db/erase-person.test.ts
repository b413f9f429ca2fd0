import { EventEmitter, once } from 'node:events';
import { expect } from 'chai';
import { TRIAL_PLATFORM } from '../../console/pages/inbox/conversation.ts';
import { upsertContact } from '../../db/conversations/contacts.ts';
import { insertConversation } from '../../db/conversations/conversations.ts';
import { createHost, setHost } from '../../db/hosts/hosts.ts';
import { erasePerson } from '../../db/person/erase-person.ts';
import { exportPerson } from '../../db/person/export-person.ts';
import { aggregateReportDeltas } from '../../db/reports/report-aggregation.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { indexRecords } from '../../db/search/records.ts';
import { withHost } from '../../db/with-hosts.ts';
import { makeDatabase } from '../support/database.ts';
import { openEach } from '../support/opened.ts';
import { waitForLock } from '../support/wait-for-lock.ts';

const EMAIL = 'canario.zenobio@exemplo.test';
const PHONE = '+55 11 98877-6655';
const CPF = '11144477735';

describe('erasing a person', () => {
  const { db } = openEach(makeDatabase);
  let host_id: string;
  beforeEach(async () => {
    host_id = (await createHost(db, { slug: 'own', name: 'Own' }))?.id ?? '';
  });

  const conversationWith = (globalData: Readonly<Record<string, unknown>>) =>
    withHost(db, host_id, scope => insertConversation(scope, globalData));
  const talk = async (columns: object, globalData = {}) => {
    const id = await conversationWith(globalData);
    await db('conversations').where({ id }).update(columns);
    return id;
  };
  const erase = (named: string) => erasePerson(db, host_id, named);
  const left = () => db('conversations').orderBy('created_at').pluck('id');

  it('takes one of two who share an e-mail by the id alone, and leaves what only names that e-mail', async () => {
    const shared = { host_id, email: EMAIL };
    const [own] = await db('contacts')
      .insert({ ...shared, cpf: CPF })
      .returning('id');
    await db('contacts').insert({ ...shared, cpf: '52998224725' });
    await conversationWith({ cpf: CPF });
    const kept = [await conversationWith({ email: EMAIL }), await conversationWith({ cpf: '52998224725' })];
    expect(String(await erase(EMAIL).catch((error: unknown) => error))).to.include(
      '2 contacts have that e-mail',
    );
    expect((await erase(own.id)).rows).to.include({ contacts: 1, conversations: 1 });
    expect(await left()).to.deep.equal(kept);
  });

  it('takes conversations whose global data names them, however deep and however written, and no others', async () => {
    await db('contacts').insert({ host_id, email: EMAIL, phone: PHONE, cpf: CPF });
    const theirs = [
      { email: EMAIL.toUpperCase() },
      { lead: { contatos: [`Zenóbio <${EMAIL}>`] } },
      { phone: '11 98877-6655' },
      { phone: 5_511_988_776_655 },
      { aluno: { cpf: '111.444.777-35' } },
      { cpf: 11_144_477_735 },
    ];
    const others = [
      {},
      { email: 'outra@exemplo.test', phone: PHONE },
      { phone: '11 98877-0000' },
      { nome: 'Zenóbio' },
    ];
    const kept: string[] = [];
    for (const given of theirs) await conversationWith(given);
    for (const given of others) kept.push(await conversationWith(given));
    const someone = await db('contacts').insert({ host_id, email: 'outra@exemplo.test' }).returning('id');
    const ofAnother = await talk({ contact_id: someone[0].id }, { recado: `falar com ${EMAIL}` });
    expect((await erase(EMAIL)).rows['conversations']).to.equal(theirs.length);
    expect(await left()).to.deep.equal([...kept, ofAnother]);
  });

  it('takes conversations that remember them from userData, and not those that remember somebody else', async () => {
    await db('contacts').insert({ host_id, email: EMAIL, phone: PHONE, cpf: CPF });
    const remember = (user_data: object, globalData = {}) => talk({ user_data }, globalData);
    await remember({ cpf: '111.444.777-35' });
    await remember({ name: 'Zenóbio', phone: '11 98877-6655' });
    const kept = await remember({ email: 'outra@exemplo.test' }, { phone: PHONE });
    expect((await erase(EMAIL)).rows['conversations']).to.equal(2);
    expect(await left()).to.deep.equal([kept]);
  });

  it('takes by phone whatever names no other e-mail, and tells of the conversations that do', async () => {
    const theirs = [
      { telefone: PHONE, instagram: '@universidade' },
      { telefone: PHONE, nota: 'chega @ 9h, R$ 5 @ unidade; fulano@' },
    ];
    const others = [
      { telefone: PHONE, contato: 'Outra <outra@exemplo.test>' },
      { telefone: PHONE, 'outra@exemplo.test': true },
    ];
    for (const given of theirs) await conversationWith(given);
    const kept: string[] = [];
    for (const given of others) kept.push(await conversationWith(given));
    const unrelated = await conversationWith({ telefone: '11 98877-0000', email: 'outra@exemplo.test' });
    const erased = await erase(PHONE);
    expect(erased.rows['conversations']).to.equal(theirs.length);
    expect(erased.leftConversations).to.deep.equal(kept);
    expect(await left()).to.deep.equal([...kept, unrelated]);
    expect((await erase('outra@exemplo.test')).leftConversations).to.deep.equal([]);
  });

  it('takes by a foreign phone what WhatsApp and others write without a plus, and nothing of the Brazilian of these digits', async () => {
    const said = (wpp_id: string, globalData = {}) => talk({ wpp_id }, globalData);
    const theirs = [
      await said('6581234567'),
      await said('+65 8123-4567'),
      await said('', { phone: '6581234567' }),
    ];
    const brazilian = [await said('556581234567'), await said('5565981234567')];
    const brazilians = await db('contacts').insert({ host_id, phone: '+55 65 98123-4567' }).returning('id');
    const exported = await exportPerson(db, host_id, '+65 8123 4567');
    expect(exported.tables['conversations']).to.have.length(theirs.length);
    expect((await erase('+65 8123 4567')).rows['conversations']).to.equal(theirs.length);
    expect(await left()).to.deep.equal(brazilian);
    await db('contacts').insert({ host_id, phone: '+65 8123 4567' });
    const [refused] = await Promise.allSettled([erase('6581234567')]);
    expect(String(refused.status === 'rejected' && refused.reason)).to.include(
      '2 contacts have that e-mail or phone',
    );
    expect((await erase(brazilians[0].id)).rows).to.include({
      contacts: 1,
      conversations: 2,
    });
    // Only the foreign contact is left.
    expect((await erase('6581234567')).rows).to.include({ contacts: 1 });
    const unclear = await db('contacts').insert({ host_id, phone: '6581234567' }).returning('id');
    await said('6581234567');
    expect((await erase(unclear[0].id)).rows).to.include({
      contacts: 1,
      conversations: 1,
    });
  });

  it('tells a phone of Porto Alegre from one of Peru, which have the same digits', async () => {
    const said = (wpp_id: string, globalData = {}) => talk({ wpp_id }, globalData);
    const wrote = async (content: string) => {
      const id = await conversationWith({});
      await db('messages').insert({ host_id, conversation_id: id, author: 'user', content });
      return id;
    };
    const peruvian = [
      await said('51987654321'),
      await said('+51 987 654 321'),
      await said('51987654321@s.whatsapp.net'),
      await said('', { phone: '+51 987654321' }),
      await wrote('Meu número é +51 987 654 321'),
    ];
    const brazilian = [
      await said('5551987654321'),
      await said('51 98765-4321'),
      await said('', { phone: '51987654321' }),
      await said('', { phone: '+55 51 98765-4321' }),
      await wrote('Meu número é 51 98765-4321'),
    ];
    const sorted = (ids: readonly string[]) => ids.toSorted((a, b) => a.localeCompare(b));
    const takes = async (phone: string) => {
      const { tables, leftConversations } = await exportPerson(db, host_id, phone);
      const ids = (tables['conversations'] ?? []).map(row => (row as { id: string }).id);
      return { ids: sorted(ids), left: leftConversations };
    };
    // A conversation that does not say which of them it is stays, and is named.
    const ofBrazilian = { ids: sorted(brazilian), left: [peruvian[0], peruvian[2]] };
    const ofPeruvian = { ids: sorted(peruvian), left: [brazilian[1], brazilian[2], brazilian[4]] };
    for (const phone of ['51 98765-4321', '51987654321', '+55 51 98765-4321'])
      expect(await takes(phone), phone).to.deep.equal(ofBrazilian);
    expect(await takes('+51 987654321')).to.deep.equal(ofPeruvian);
    const contacts = await db('contacts').insert({ host_id, phone: '+51 987654321' }).returning('id');
    expect(await takes(contacts[0].id)).to.deep.equal(ofPeruvian);
    expect(await takes('51 98765-4321')).to.deep.equal(ofBrazilian);
    await db('contacts').update({ phone: '51987654321' });
    expect(await takes(contacts[0].id)).to.deep.equal(ofBrazilian);
    expect((await erase('51 98765-4321')).rows).to.include({
      contacts: 1,
      conversations: 5,
    });
    expect(await left()).to.deep.equal(peruvian);
  });

  it('takes by a phone of São Paulo also what is written as its national digits alone', async () => {
    await talk({ wpp_id: '11988776655' });
    expect((await erase(PHONE)).rows).to.include({ conversations: 1 });
  });

  it('takes conversations in which somebody without a contact wrote who they are, and no others', async () => {
    await db('contacts').insert({ host_id, email: EMAIL, phone: PHONE, cpf: CPF });
    const say = async (content: string, author = 'user', masked: readonly object[] = []) => {
      const id = await talk({ masked_values: JSON.stringify(masked) });
      await db('messages').insert({ host_id, conversation_id: id, author, content });
      return id;
    };
    const theirs = [
      `Meu e-mail é ${EMAIL.toUpperCase()}, pode anotar?`,
      'CPF 111.444.777-35.',
      'Me liga no (11) 98877-6655, por favor',
      'zap: +55 11 8877 6655!',
    ];
    const others = [
      'Oi, tudo bem?',
      `mari${EMAIL}`,
      'Protocolo 2311988776655',
      '9.111.444.777-35',
      'Ligue 11 98877-6656',
    ];
    for (const content of theirs) await say(content);
    await say('', 'user', [{ kind: 'email', key: EMAIL, text: EMAIL }]);
    const kept = [await say(`Escreva para ${EMAIL}`, 'assistant')];
    for (const content of others) kept.push(await say(content));
    const ofOthers = [
      await say(`Sou outra@exemplo.test, amiga de ${EMAIL}`),
      await say(`Falei com ${PHONE}`, 'user', [{ kind: 'email', key: 'o', text: 'outra@exemplo.test' }]),
    ];
    const exported = await exportPerson(db, host_id, EMAIL);
    expect(exported.tables['messages']).to.have.length(theirs.length + 1);
    expect(exported.leftConversations).to.deep.equal(ofOthers);
    const erased = await erase(EMAIL);
    expect(erased.rows).to.include({ conversations: theirs.length + 1, messages: theirs.length + 1 });
    expect(erased.leftConversations).to.deep.equal(ofOthers);
    expect(await left()).to.deep.equal([...kept, ...ofOthers]);
  });

  it('takes rehearsals in which who attends asked what to answer them, and leaves those that may be of others', async () => {
    const [contact] = await db('contacts').insert({ host_id, email: EMAIL }).returning('id');
    const say = async (content: string, platform: string, contact_id: string | null = null) => {
      const id = await talk({ contact_id }, { platform });
      const rehearsal = platform === TRIAL_PLATFORM;
      await db('messages').insert({ host_id, conversation_id: id, author: 'user', content, rehearsal });
      return id;
    };
    const asked = 'Meu filho é surdo: há intérprete na prova?';
    for (const content of [asked, '', 'Sim']) await say(content, 'whatsapp', contact.id);
    for (const _twice of [1, 2]) await say(asked, TRIAL_PLATFORM);
    const ofOthers = await say('Sim', TRIAL_PLATFORM);
    const kept = [ofOthers, await say('', TRIAL_PLATFORM), await say('Que horas abre?', TRIAL_PLATFORM)];
    kept.push(await say('Sim', 'whatsapp'));
    const exported = await exportPerson(db, host_id, EMAIL);
    expect(exported.tables['messages']).to.have.length(5);
    expect(exported.leftConversations).to.deep.equal([ofOthers]);
    const erased = await erase(EMAIL);
    expect(erased.rows).to.include({ conversations: 5, messages: 5 });
    expect(erased.leftConversations).to.deep.equal([ofOthers]);
    expect(await left()).to.deep.equal(kept);
  });

  it('leaves nothing of them in the statistics of the tables', async () => {
    await db('contacts').insert([
      { host_id, email: EMAIL, phone: PHONE, name: 'Zenóbio' },
      { host_id, email: 'outra@exemplo.test', name: 'Outra' },
    ]);
    await db('conversations').insert([
      { host_id, user_name: 'Zenóbio', wpp_id: PHONE },
      { host_id, user_name: 'Outra' },
    ]);
    await db.raw('analyze');
    const told = () => rowsOf<{ table: string }>(db)`
      select tablename as "table" from pg_stats where schemaname = 'public'
        and concat(most_common_vals::text, histogram_bounds::text) ~* 'zen[oó]bi|98877'`;
    expect(await told()).to.not.deep.equal([]);
    await erase(EMAIL);
    expect(await told()).to.deep.equal([]);
  });

  it('waits for whoever indexes one of their records, who finds nothing afterwards', async () => {
    const [record] = await db('tickets')
      .insert({ host_id, kind: 'tickets', external_id: '1', email: EMAIL, subject: 'papagaio' })
      .returning('id');
    const key = { hostId: host_id, originTable: 'tickets', originId: record.id } as const;
    const gate = new EventEmitter();
    const begun = once(gate, 'begun');
    const also = async (tx: unknown) => {
      gate.emit('begun', tx);
      await once(gate, 'released');
    };
    const indexing = indexRecords(db, [key], { also });
    const [holder] = await begun;
    const erasing = erase(EMAIL);
    await waitForLock(holder);
    gate.emit('released');
    await Promise.all([indexing, erasing]);
    expect(await db('search_records').select()).to.deep.equal([]);
    await indexRecords(db, [key]);
    expect(await db('search_records').select()).to.deep.equal([]);
  });

  it('waits for whoever is storing their contact, and takes what was stored meanwhile, too', async () => {
    const storing = await db.transaction();
    const scope = { tx: storing, hostId: host_id };
    const contact_id = await upsertContact(scope, { email: EMAIL });
    await storing('conversations').insert({ host_id, contact_id });
    const erasing = erase(EMAIL);
    await Promise.race([waitForLock(storing), erasing]);
    await storing.commit();
    const { rows } = await erasing;
    expect([rows['contacts'], rows['conversations']]).to.deep.equal([1, 1]);
    expect([await db('contacts'), await left()]).to.deep.equal([[], []]);
  });

  it('leaves what they count in the reports, also when the host changes its hours and its time zone later', async () => {
    const contact = await db('contacts').insert({ host_id, email: EMAIL }).returning('id');
    const said = async (contact_id: string | null, at: string) => {
      const conversation_id = await talk({ contact_id }, { platform: 'api' });
      const message = { host_id, conversation_id, content: 'Oi', created_at: at };
      await db('messages').insert(['user', 'assistant'].map(author => ({ ...message, author })));
    };
    await said(contact[0].id, '2026-03-02T12:00Z');
    await said(null, '2026-03-02T12:00Z');
    await aggregateReportDeltas(db);
    // Not added to the daily counts yet.
    await said(contact[0].id, '2026-03-02T13:00Z');
    await erase(EMAIL);
    for (const timeZone of ['Asia/Tokyo', 'America/Manaus']) {
      await setHost(db, 'own', { timeZone });
      await setHost(db, 'own', { businessHours: [{ days: [1], from: '08:00', to: '18:00' }] });
      const days = await db('report_days')
        .where({ host_id })
        .orderBy('kind')
        .select('kind', 'total', db.raw('day::text'));
      expect(days.map(({ kind, day, total }) => [kind, day, Number(total)])).to.deep.equal(
        ['assistant', 'service', 'user'].map(kind => [kind, '2026-03-02', 3]),
      );
    }
  });

  it('leaves of the lines in the outbox those that say what is to be taken out of the index', async () => {
    await db('tickets').insert({
      host_id,
      kind: 'tickets',
      external_id: '1',
      email: EMAIL,
      subject: 'papagaio',
    });
    await erase(EMAIL);
    expect(await db('search_outbox').pluck('operation')).to.deep.equal(['DELETE']);
  });
});
