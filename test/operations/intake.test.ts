import { expect } from 'chai';
import { setMapping } from '../../db/intake/crm-mappings.ts';
import { expectWrong } from '../support/contract.ts';
import { CRM, deal, ticket } from '../support/crm.ts';
import { openService } from '../support/service.ts';

describe('intake', () => {
  const service = openService();

  const send = (kind: string, body: unknown, options = {}) => service.call(`${CRM}/${kind}`, body, options);
  const leads = (external_id: string) => service.db('leads').where({ external_id });
  const raw = (id: string) =>
    service.db('intake_records').whereRaw(`body ->> 'external_id' = ?`, [id]).orderBy('arrived_at');

  it('makes of a ticket a ticket and a contact, and echoes what was not agreed', async () => {
    const more = { campus_norte: 'Manaus', canal: ['portal'] };
    const { status, body } = await send('tickets', { ...ticket(100), ...more });
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

  it('takes a form, and JSON that is declared as a text, as a form or not at all', async () => {
    const headers = { authorization: `Bearer ${service.demo.token}` };
    const post = (body: string | Uint8Array<ArrayBuffer>, type?: string) => {
      const sent = type === undefined ? headers : { ...headers, 'content-type': type };
      const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
      return fetch(`${service.baseURL}${CRM}/tickets`, { method: 'POST', headers: sent, body: bytes });
    };
    const FORM = 'application/x-www-form-urlencoded';
    const form =
      'email=f%40example.com&subject=Boleto&content=N%C3%A3o+recebi&utm[origem][]=feira&hs_pipeline_stage=2';
    const json = (id: number) => JSON.stringify({ ...ticket(id), content: 'Não recebi' });
    const latin = form.replace('%C3%A3', '%E3');
    const answers = [
      await post(`external_id=120&${form}`, FORM),
      await post(`external_id=121&${latin}`, `${FORM}; charset=iso-8859-1`),
      await post(json(122), FORM),
      await post(json(123), 'text/plain; charset=utf-8'),
      await post(json(124)),
    ];
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200]);
    const stored = await service
      .db('tickets')
      .whereBetween('external_id', ['120', '124'])
      .orderBy('external_id');
    expect(stored.map(({ content }) => content)).to.deep.equal(Array.from({ length: 5 }, () => 'Não recebi'));
    expect(stored[0]).to.deep.include({
      subject: 'Boleto',
      email: 'f@example.com',
      stage: '2',
      inter_data: [{ field: 'utm', value: { origem: ['feira'] } }],
    });
    const refused = [
      await post(`external_id=125&${latin}`, FORM),
      await post(`external_id=125&${form}&a${'[b]'.repeat(32)}=1`, FORM),
      await post(`external_id=125&${form}${'&a='.repeat(20_000)}`, FORM),
      await post('external_id=125', 'text/plain'),
      await post(`external_id=125&x=${'y'.repeat(1_048_576)}`, FORM),
    ];
    expect(refused.map(({ status }) => status)).to.deep.equal([400, 400, 400, 400, 413]);
  });

  it('makes of a deal a lead and a contact, and says created, unchanged and updated', async () => {
    const whole = { ...deal(101), mobilephone: '11 8765-4321', cpf: '529.982.247-25', origem: 'feira' };
    const again = [
      { ...whole, external_id: '101' },
      { external_id: 101, cidade: 'Belém', cpf: '111' },
    ];
    const statuses = [];
    for (const body of [whole, ...again]) statuses.push((await send('deals', body)).body.entityData.status);
    expect(statuses).to.deep.equal(['created', 'unchanged', 'updated']);
    const arrivals = await service.db('intake_records').orderBy('arrived_at');
    expect(arrivals.slice(-3).map(({ state, status }) => [state, status])).to.deep.equal(
      statuses.map(status => ['done', status]),
    );
    const [lead, ...others] = await leads('101');
    expect(others).to.deep.equal([]);
    expect(lead).to.include({ cidade: 'Belém', firstname: 'Pessoa', cpf: '', phone_e164: '+5511987654321' });
    expect(lead.inter_data).to.have.deep.members([
      { field: 'origem', value: 'feira' },
      { field: 'cpf', value: '111' },
    ]);
    expect(lead.warnings.map(({ field }: { field: string }) => field)).to.deep.equal(['cpf']);
    await send('deals', { external_id: 101, dealstage: 2 });
    expect((await leads('101'))[0]).to.deep.include({
      contact_id: lead.contact_id,
      inter_data: lead.inter_data,
      warnings: lead.warnings,
      stage: '2',
    });
    expect((await send('deals', { external_id: 101, dealname: null })).status).to.equal(400);
  });

  it('has no contact where it names none that can be reached', async () => {
    const { status, body } = await send('deals', { ...deal(141), mobilephone: 'x', email: '' });
    expect([status, body.contactData]).to.deep.equal([200, { id: '', email: '' }]);
    expect((await leads('141'))[0].contact_id).to.equal(null);
  });

  it('keeps when a ticket was opened, first solved and where it stands if it comes again without', async () => {
    const { createdate: _, ...undated } = ticket(150);
    const row = async () => service.db('tickets').where({ external_id: '150' }).first();
    await send('tickets', { ...undated, campus_norte: 'Manaus', campus_sul: 'Canoas' });
    const { opened_at, arrived_at } = await row();
    expect(opened_at).to.deep.equal(arrived_at);
    await send('tickets', { ...undated, hs_pipeline_stage: 4 });
    const { solved_at } = await row();
    expect(solved_at > opened_at).to.equal(true);
    await send('tickets', { external_id: 150, campus_sul: '', subject: 'Outro' });
    const kept = { opened_at, solved_at, stage: '4', subject: 'Outro', campus: { campus_norte: 'Manaus' } };
    expect(await row()).to.deep.include(kept);
  });

  it('names the contact of a record that comes again without saying whose it is', async () => {
    const first = await send('deals', deal(119));
    const nameless = { ...deal(119), email: 'não tem' };
    for (const status of ['updated', 'unchanged']) {
      const { body } = await send('deals', nameless);
      expect([body.entityData.status, body.contactData]).to.deep.equal([status, first.body.contactData]);
    }
  });

  it('refuses with 400, naming each field, and keeps nothing but what came', async () => {
    const sent = { external_id: 'x', cep: {}, dealname: ' ' };
    const { status, body } = await send('deals', sent);
    expect([status, body.message]).to.deep.equal([400, 'Some fields are missing or invalid']);
    const named = body.data.fields.map(({ path }: { path: string }) => path);
    expect(named).to.have.members(['dealname', 'external_id', 'email', 'mobilephone', 'cep']);
    const [kept, ...others] = await raw('x');
    expect(kept).to.deep.include({ state: 'refused', body: sent });
    expect([kept.reasons.map(({ path }: { path: string }) => path), others]).to.deep.equal([named, []]);
    expect(await leads('x')).to.deep.equal([]);
  });

  it('knows whose a record is that comes again without its e-mail', async () => {
    const owner = await send('deals', { ...deal(192), mobilephone: '(91) 97111-0192' });
    const relative = await send('deals', { ...deal(193), email: '', mobilephone: '(91) 97111-0193' });
    const again = { external_id: 192, firstname: 'Outra', mobilephone: '(91) 97111-0193' };
    const { body } = await send('deals', again);
    expect(body.contactData).to.deep.equal(owner.body.contactData);
    expect(body.contactData.id).to.not.equal(relative.body.contactData.id);
    const contact = await service.db('contacts').where({ id: owner.body.contactData.id }).first();
    expect(contact.name).to.equal('Outra');
  });

  it('refuses an object while no mapping was agreed, and takes it when there is one', async () => {
    const { acme } = service;
    const object = { cod: 'a-7', mail: 'ana7@example.com', turno: 'noite' };
    const before = await send('objects', object, { token: acme.token });
    expect([before.status, before.body.message]).to.deep.equal([400, 'No mapping agreed']);
    expect(before.body.data.hint).to.include('saveMapping mapping.json --host <slug> --kind objects');
    const mapping = {
      target: 'tickets',
      fields: { cod: { to: 'external_id' }, mail: { to: 'email' }, fase: { to: 'stage' } },
      required: [['cod']],
      solvedStages: ['fim'],
      campus: false,
    };
    await acme.inHost(scope => setMapping(scope, 'objects', mapping));
    const after = await send('objects', { ...object, fase: 'fim' }, { token: acme.token });
    expect(after.body.interData).to.deep.equal([{ field: 'turno', value: 'noite' }]);
    const [stored] = await service.db('tickets').where({ id: after.body.entityData.id });
    expect(stored).to.include({ kind: 'objects', external_id: 'a-7', email: 'ana7@example.com' });
    expect(stored.solved_at).to.be.a('date');
  });

  it('refuses hostId and hostSlug, and takes the host of a domain token from the header alone', async () => {
    const { demo, acme } = service;
    const named = await send('deals', { ...deal(160), hostId: demo.hostId, hostSlug: demo.slug });
    expectWrong(named, ['hostId', 'hostSlug']);
    const token = await service.makeToken({ hostIds: [demo.hostId, acme.hostId], scopes: ['intake'] });
    const body = { ...deal(161), choosenHostId: acme.hostId, host_id: 'theirs' };
    expect((await send('deals', body, { token })).status).to.equal(409);
    const chosen = await send('deals', body, { token, headers: { 'x-choosen-host-id': acme.hostId } });
    const kept = chosen.body.interData.map(({ field }: { field: string }) => field);
    expect(kept).to.deep.equal(['choosenHostId', 'host_id']);
    const [lead] = await leads('161');
    expect(lead.host_id).to.equal(acme.hostId);
  });

  it('keeps ten thousand extra fields, names of an object’s machinery, and what cannot be stored', async () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`campo_${n}`, `valor ${n}`]));
    const crowded = await send('deals', { ...deal(170), ...many });
    expect([crowded.status, crowded.body.interData.length]).to.deep.equal([200, 10_000]);
    const odd = `{"__proto__":{"a":1},"constructor":{"prototype":2},"nul":"a\\u0000b","half":"\\ud800","n":-9007199254740993,${JSON.stringify(deal(171)).slice(1)}`;
    const { status, body } = await send('deals', odd);
    expect([status, body.interData]).to.deep.equal([
      200,
      [
        { field: '__proto__', value: { a: 1 } },
        { field: 'constructor', value: { prototype: 2 } },
        { field: 'nul', value: 'a\uFFFDb' },
        { field: 'half', value: '\uFFFD' },
        { field: 'n', value: '-9007199254740993' },
      ],
    ]);
    const [lead] = await leads('171');
    expect(lead.warnings.map(({ field }: { field: string }) => field)).to.deep.equal(['nul', 'half']);
  });
});
