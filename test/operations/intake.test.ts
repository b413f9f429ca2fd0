import { expect } from 'chai';
import { setMapping } from '../../db/intake/crm-mappings.ts';
import { withHost } from '../../db/with-hosts.ts';
import { CRM, deal, findArrivals, sendDeal, ticket } from '../support/crm.ts';
import { borrowService, type Service } from '../support/service.ts';

describe('intake', () => {
  let service: Service;
  before(async () => {
    service = await borrowService();
  });
  after(() => service.close());

  const send = (kind: string, body: unknown, options = {}) => service.call(`${CRM}/${kind}`, body, options);
  const leads = (external_id: string) => service.db('leads').where({ external_id });
  const raw = (id: string) =>
    service.db('intake_records').whereRaw(`body ->> 'external_id' = ?`, [id]).orderBy('arrived_at');

  it('makes of a ticket a ticket and a contact, and echoes what was not agreed', async () => {
    const { status, body } = await send('tickets', {
      ...ticket(100),
      campus_norte: 'Manaus',
      canal: ['portal'],
    });
    expect(status).to.equal(200);
    expect(body).to.have.all.keys('entityData', 'contactData', 'interData');
    expect(body.entityData.status).to.equal('created');
    expect(body.contactData.email).to.equal('pessoa100@example.com');
    expect(body.interData).to.deep.equal([{ field: 'canal', value: ['portal'] }]);
    const [stored] = await service.db('tickets').where({ id: body.entityData.id });
    expect(stored).to.deep.include({
      kind: 'tickets',
      external_id: '100',
      contact_id: body.contactData.id,
      campus: { campus_norte: 'Manaus' },
      stage: '1',
      mobilephone: '+55 11 90000-0100',
      phone_e164: '+5511900000100',
      inter_data: [{ field: 'canal', value: ['portal'] }],
      solved_at: null,
    });
    expect(stored.opened_at.getTime()).to.equal(1_760_000_000_000);
    const [contact] = await service.db('contacts').where({ id: body.contactData.id });
    expect(contact).to.include({ name: 'Pessoa 100', email: 'pessoa100@example.com' });
  });

  it('makes of a deal a lead and a contact', async () => {
    const { body } = await send('deals', {
      ...deal(101),
      mobilephone: '11 8765-4321',
      cpf: '529.982.247-25',
    });
    const [lead] = await leads('101');
    expect(lead).to.include({ id: body.entityData.id, cpf: '52998224725', phone_e164: '+5511987654321' });
    expect(lead.contact_id).to.equal(body.contactData.id);
  });

  it('names the contact of a record that comes again without saying whose it is', async () => {
    const first = await send('deals', deal(119));
    const nameless = { ...deal(119), email: 'não tem' };
    for (const status of ['updated', 'unchanged']) {
      const { body } = await send('deals', nameless);
      expect([body.entityData.status, body.contactData]).to.deep.equal([status, first.body.contactData]);
    }
  });

  it('says created, unchanged and updated, and keeps one row', async () => {
    const statuses = [];
    for (const body of [
      deal(102),
      deal(102),
      { ...deal(102), external_id: '102' },
      { ...deal(102), cidade: 'Belém' },
    ])
      statuses.push((await send('deals', body)).body.entityData.status);
    expect(statuses).to.deep.equal(['created', 'unchanged', 'unchanged', 'updated']);
    expect(await leads('102')).to.have.length(1);
    expect((await raw('102')).map(({ state, status }) => `${state} ${status}`)).to.deep.equal([
      'done created',
      'done unchanged',
      'done unchanged',
      'done updated',
    ]);
  });

  it('keeps the same record twenty times at once as one row with one contact', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => send('deals', deal(103))));
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(20).fill(200));
    expect(new Set(answers.map(({ body }) => body.entityData.id))).to.have.property('size', 1);
    expect(new Set(answers.map(({ body }) => body.contactData.id))).to.have.property('size', 1);
    const created = answers.filter(({ body }) => body.entityData.status === 'created');
    expect(created).to.have.length(1);
    expect(await leads('103')).to.have.length(1);
    expect(await service.db('contacts').where({ email: 'pessoa103@example.com' })).to.have.length(1);
    expect(await raw('103')).to.have.length(20);
  });

  it('knows a contact by e-mail in any case, and by phone only where one side has no e-mail', async () => {
    const contactOf = async (external_id: number, more: object) => {
      const { email: _, ...rest } = deal(external_id);
      return (await send('deals', { ...rest, mobilephone: '', ...more })).body.contactData;
    };
    const mother = await contactOf(110, { email: 'Mae@Example.com', mobilephone: '(91) 98111-2222' });
    expect((await contactOf(111, { email: 'mae@example.COM' })).id).to.equal(mother.id);
    expect((await contactOf(112, { mobilephone: '559181112222' })).id).to.equal(mother.id);
    const child = await contactOf(113, { email: 'filho@example.com', mobilephone: '91981112222' });
    expect(child.id).to.not.equal(mother.id);
    const landline = await contactOf(114, { mobilephone: '1133334444' });
    expect(landline.email).to.equal('');
    expect((await contactOf(115, { mobilephone: '11933334444' })).id).to.not.equal(landline.id);
    expect((await contactOf(116, { mobilephone: '+55 (11) 3333-4444' })).id).to.equal(landline.id);
  });

  it('makes one contact of twenty spellings that come at once', async () => {
    const spellings = ['91977776666', '9177776666', '+55 91 97777-6666', '559177776666'];
    const bodies = Array.from({ length: 20 }, (_, n) => {
      const { email: _email, ...rest } = deal(120 + n);
      return { ...rest, mobilephone: spellings[n % 4] };
    });
    const answers = await Promise.all(bodies.map(body => send('deals', body)));
    expect(new Set(answers.map(({ body }) => body.contactData.id))).to.have.property('size', 1);
  });

  it('keeps a record whose phone, CPF or date of birth is none, and says so', async () => {
    const bad = { cpf: '111', mobilephone: 'x', date_of_birth: '2001-02-29' };
    const { status, body } = await send('deals', { ...deal(141), ...bad, email: '' });
    expect([status, body.contactData]).to.deep.equal([200, { id: '', email: '' }]);
    const [lead] = await leads('141');
    expect(lead).to.include({ cpf: '', mobilephone: '', date_of_birth: null, contact_id: null });
    expect(lead.warnings.map(({ field }: { field: string }) => field)).to.have.members(Object.keys(bad));
    expect(lead.inter_data).to.have.deep.members(
      Object.entries(bad).map(([field, value]) => ({ field, value })),
    );
  });

  it('refuses with 400, naming each field, and keeps nothing but what came', async () => {
    const sent = { external_id: 'x', cep: {}, dealname: ' ' };
    const { status, body } = await send('deals', sent);
    expect([status, body.message]).to.deep.equal([400, 'Some fields are missing or invalid']);
    const named = body.data.fields.map(({ path }: { path: string }) => path);
    expect(named).to.have.members(['dealname', 'external_id', 'email', 'mobilephone', 'cep']);
    const [kept, ...others] = await raw('x');
    expect(kept).to.deep.include({
      state: 'refused',
      body: sent,
    });
    expect([kept.reasons.map(({ path }: { path: string }) => path), others]).to.deep.equal([named, []]);
    expect(await leads('x')).to.deep.equal([]);
  });

  it('keeps the digits of a whole number that JavaScript cannot hold, wherever it stands', async () => {
    const ids = ['1234567890123456789', '1234567890123456788'];
    for (const external_id of ids) {
      const json = JSON.stringify({ ...deal(1), external_id: 0, n: [0], t: 'a "9007199254740993" \\' });
      const sent = json
        .replace('"external_id":0', `"external_id": ${external_id}`)
        .replace('[0]', '[-9007199254740993, 1.5]');
      const { status, body } = await send('deals', sent);
      expect([status, body.entityData.status]).to.deep.equal([200, 'created']);
      expect(body.interData).to.deep.equal([
        { field: 'n', value: ['-9007199254740993', 1.5] },
        { field: 't', value: 'a "9007199254740993" \\' },
      ]);
      expect(await leads(external_id)).to.have.length(1);
    }
  });

  it('keeps what a record that comes again leaves out, and empties what it names empty', async () => {
    const whole = {
      ...deal(190),
      lastname: 'Souza',
      cidade: 'Belém',
      cpf: '111',
      mobilephone: '(91) 98111-0190',
      origem: 'feira',
      nota: 7,
    };
    await send('deals', whole);
    const { email, external_id } = whole;
    const part = await send('deals', { external_id, email, dealname: 'Novo nome', nota: 8 });
    expect([part.status, part.body.entityData.status]).to.deep.equal([200, 'updated']);
    expect(part.body.interData).to.deep.equal([{ field: 'nota', value: 8 }]);
    const [kept] = await leads('190');
    expect(kept).to.deep.include({
      dealname: 'Novo nome',
      cidade: 'Belém',
      lastname: 'Souza',
      stage: '1',
      phone_e164: '+5591981110190',
    });
    expect(kept.inter_data).to.deep.equal([
      { field: 'cpf', value: '111' },
      { field: 'origem', value: 'feira' },
      { field: 'nota', value: 8 },
    ]);
    expect(kept.warnings.map(({ field }: { field: string }) => field)).to.deep.equal(['cpf']);
    await send('deals', { ...whole, cidade: null, lastname: '', mobilephone: ' ', cpf: '529.982.247-25' });
    const [emptied] = await leads('190');
    expect(emptied).to.deep.include({
      dealname: whole.dealname,
      cidade: '',
      lastname: '',
      mobilephone: '',
      phone_e164: '',
      cpf: '52998224725',
      warnings: [],
    });
    const again = await send('deals', { nota: 7, email, external_id });
    expect([again.status, again.body.entityData.status]).to.deep.equal([200, 'unchanged']);
    expect((await send('deals', { external_id, dealname: null })).status).to.equal(400);
    expect((await send('deals', { external_id: 191, email })).status).to.equal(400);
  });

  it('knows whose a record is that comes again without its e-mail', async () => {
    const owner = await send('deals', { ...deal(192), mobilephone: '(91) 97111-0192' });
    const relative = await send('deals', { ...deal(193), email: '', mobilephone: '(91) 97111-0193' });
    const { body } = await send('deals', {
      external_id: 192,
      firstname: 'Outra',
      mobilephone: '(91) 97111-0193',
    });
    expect(body.contactData).to.deep.equal(owner.body.contactData);
    expect(body.contactData.id).to.not.equal(relative.body.contactData.id);
    const contact = await service.db('contacts').where({ id: owner.body.contactData.id }).first();
    expect(contact.name).to.equal('Outra');
  });

  it('keeps when a ticket was opened and where it stands if it comes again without', async () => {
    await send('tickets', {
      ...ticket(194),
      hs_pipeline_stage: 4,
      campus_norte: 'Manaus',
      campus_sul: 'Canoas',
    });
    const { external_id, email } = ticket(194);
    const row = async () => service.db('tickets').where({ external_id: '194' }).first();
    const { opened_at, solved_at } = await row();
    await send('tickets', { external_id, email, campus_sul: '', subject: 'Outro' });
    expect(await row()).to.deep.include({
      opened_at,
      solved_at,
      stage: '4',
      subject: 'Outro',
      content: 'Pede a segunda via.',
      campus: { campus_norte: 'Manaus' },
    });
  });

  it('refuses an object while no mapping was agreed, and takes it when there is one', async () => {
    const { acme } = service;
    const object = { cod: 'a-7', mail: 'ana7@example.com', turno: 'noite' };
    const before = await send('objects', object, { token: acme.token });
    expect([before.status, before.body.message]).to.deep.equal([400, 'No mapping agreed']);
    expect(before.body.data.hint).to.include('npm run mapping -- set --host <slug> --kind objects');
    const mapping = {
      target: 'tickets',
      fields: { cod: { to: 'external_id' }, mail: { to: 'email' }, fase: { to: 'stage' } },
      required: [['cod']],
      solvedStages: ['fim'],
      campus: false,
    };
    await withHost(service.db, acme.hostId, scope => setMapping(scope, 'objects', mapping));
    const after = await send('objects', { ...object, fase: 'fim' }, { token: acme.token });
    expect(after.body.interData).to.deep.equal([{ field: 'turno', value: 'noite' }]);
    const [stored] = await service.db('tickets').where({ id: after.body.entityData.id });
    expect(stored).to.include({ kind: 'objects', external_id: 'a-7', email: 'ana7@example.com' });
    expect(stored.solved_at).to.be.a('date');
  });

  it('keeps when a ticket was opened and first solved', async () => {
    const { createdate: _, ...undated } = ticket(150);
    const row = async () => service.db('tickets').where({ external_id: '150' }).first();
    await send('tickets', undated);
    const { opened_at: openedAt, arrived_at: arrivedAt } = await row();
    expect(openedAt).to.deep.equal(arrivedAt);
    await send('tickets', { ...undated, hs_pipeline_stage: 4 });
    const { solved_at: solvedAt, opened_at: stillOpenedAt } = await row();
    expect([solvedAt > openedAt, stillOpenedAt]).to.deep.equal([true, openedAt]);
    await send('tickets', { ...undated, hs_pipeline_stage: '2' });
    await send('tickets', { ...undated, hs_pipeline_stage: 4 });
    expect((await row()).solved_at).to.deep.equal(solvedAt);
  });

  it('refuses hostId and hostSlug, and takes the host of a domain token from the header alone', async () => {
    const { demo, acme } = service;
    const named = await send('deals', { ...deal(160), hostId: demo.hostId, hostSlug: service.demo.slug });
    expect([named.status, named.body.data.fields.map(({ path }: { path: string }) => path)]).to.deep.equal([
      400,
      ['hostId', 'hostSlug'],
    ]);
    const token = await service.makeToken({ hostIds: [demo.hostId, acme.hostId], scopes: ['intake'] });
    const body = { ...deal(161), choosenHostId: acme.hostId, host_id: 'theirs' };
    expect((await send('deals', body, { token })).status).to.equal(409);
    const headers = { 'x-choosen-host-id': acme.hostId };
    const chosen = await send('deals', body, { token, headers });
    expect(chosen.body.interData.map(({ field }: { field: string }) => field)).to.deep.equal([
      'choosenHostId',
      'host_id',
    ]);
    const [lead] = await leads('161');
    expect(lead.host_id).to.equal(acme.hostId);
  });

  it('keeps ten thousand extra fields, names of an object’s machinery, and what cannot be stored', async () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`campo_${n}`, `valor ${n}`]));
    const crowded = await send('deals', { ...deal(170), ...many });
    expect([crowded.status, crowded.body.interData.length]).to.deep.equal([200, 10_000]);
    const odd = `{"__proto__":{"a":1},"constructor":{"prototype":2},"nul":"a\\u0000b","half":"\\ud800",${JSON.stringify(deal(171)).slice(1)}`;
    const { status, body } = await send('deals', odd);
    expect([status, body.interData]).to.deep.equal([
      200,
      [
        { field: '__proto__', value: { a: 1 } },
        { field: 'constructor', value: { prototype: 2 } },
        { field: 'nul', value: 'a\uFFFDb' },
        { field: 'half', value: '\uFFFD' },
      ],
    ]);
    const [lead] = await leads('171');
    expect(lead.warnings.map(({ field }: { field: string }) => field)).to.deep.equal(['nul', 'half']);
    expect((await send('deals', { ...deal(172), text: 'x'.repeat(1_048_576) })).status).to.equal(413);
  });

  it('answers a retry under its key with the first reply', async () => {
    const headers = { 'idempotency-key': 'crm-1' };
    const [first, second] = [
      await sendDeal(service, 180, { headers }),
      await sendDeal(service, 180, { headers }),
    ];
    expect(second.body).to.deep.equal(first.body);
    expect((await findArrivals(service, 180)).length).to.equal(1);
    expect((await sendDeal(service, 181, { headers })).status).to.equal(422);
  });
});
