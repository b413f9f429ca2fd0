import { expect } from 'chai';
import { CRM, deal } from '../support/crm.ts';
import { openOnce } from '../support/opened.ts';
import { runCommand, settingsOf } from '../support/run-command.ts';
import { openService } from '../support/service.ts';
import { makeFolder } from '../support/temp-folder.ts';

describe('npm run mapping and npm run intake', () => {
  const service = openService();
  const { demo } = service;
  const folder = openOnce(makeFolder);
  let on: string[];
  before(() => {
    on = ['--host', demo.slug, '--kind', 'objects'];
  });

  const run = (name: string, ...args: string[]) => runCommand(name, args, settingsOf(service, folder.path));
  const object = { cod: 7, mail: 'ana@example.com', turno: 'noite' };

  it('list what was refused, agree on a mapping, try it without writing, and replay', async () => {
    expect((await service.call(`${CRM}/objects`, object)).status).to.equal(400);
    const listed = await run('intake', 'list', '--host', demo.slug);
    expect(listed.out).to.match(
      /^id\tarrived\tkind\tstate\tstatus\twhy\n[0-9a-f-]{36}\t\S+\tobjects\trefused\t\tNo mapping agreed\n$/,
    );

    const fields = { cod: 'external_id', mail: 'email', nome: 'firstname' };
    const mapping = await folder.write('mapping.json', { target: 'lead', fields, required: ['cod', 'nome'] });
    const record = await folder.write('record.json', object);
    const checked = await run('mapping', 'check', ...on, '--record', record, '--file', mapping);
    expect(checked.out.trim().split('\n')).to.deep.equal([
      'result\tfield\tdetail',
      'mapped\tcod\texternal_id',
      'mapped\tmail\temail',
      'unmapped\tturno\t',
      'missing\tnome\tis required',
    ]);
    expect(checked.code).to.equal(1);
    expect(await service.db('crm_mappings')).to.deep.equal([]);

    const better = await folder.write('better.json', { target: 'lead', fields, required: ['cod'] });
    const set = await run('mapping', 'set', ...on, '--file', better);
    expect(set.out).to.equal(`Mapping of objects of host "${demo.slug}" set: version 1 is current.\n`);
    const shown = JSON.parse((await run('mapping', 'show', ...on)).out);
    expect(shown).to.deep.include({ version: 1, target: 'lead', required: [['cod']] });
    expect((await run('mapping', 'check', ...on, '--record', record)).code).to.equal(0);
    expect(await service.db('leads')).to.deep.equal([]);

    const replayed = await run('intake', 'replay', '--host', demo.slug);
    expect(replayed.out).to.match(
      /^id\tkind\toutcome\twhy\n\S+\tobjects\tdone\t\nRecords of host "demo-[\d-]+" replayed: 1 of 1 done\.\n$/,
    );
    const [lead] = await service.db('leads');
    expect(lead).to.deep.include({
      external_id: '7',
      email: 'ana@example.com',
      inter_data: [{ field: 'turno', value: 'noite' }],
    });
    expect((await run('intake', 'list', '--host', demo.slug)).out).to.match(/^id\t.*\n$/);
  });

  it('agree on a mapping that is shipped for a CRM, and check each record of a list against it', async () => {
    const set = await run('mapping', 'set', ...on, '--preset', 'rdstation');
    expect(set.out).to.match(/^Mapping of objects .* set: version 2 is current\.\n$/);
    const leads = [
      { uuid: 'u1', email: 'a@b.br', funnel: { lifecycle_stage: 'Lead', name: 'x' } },
      { name: 'Bia' },
    ];
    const record = await folder.write('leads.json', { event_type: 'e', leads });
    const { out, code } = await run('mapping', 'check', ...on, '--record', record);
    expect(code).to.equal(1);
    expect(out.trim().split('\n')).to.deep.equal([
      'result\tfield\tdetail',
      'mapped\tuuid\texternal_id',
      'mapped\temail\temail',
      'mapped\tfunnel.lifecycle_stage\tstage',
      'unmapped\tfunnel.name\t',
      'unmapped\tevent_type\t',
      'mapped\tname\tfirstname',
      'unmapped\tevent_type\t',
      'missing\tuuid\tis required',
      'missing\temail\tone of email, mobile_phone, personal_phone is required',
      'missing\tmobile_phone\tone of email, mobile_phone, personal_phone is required',
      'missing\tpersonal_phone\tone of email, mobile_phone, personal_phone is required',
    ]);
  });

  it('replay the other records where one cannot be stored, and that one alone where it is named', async () => {
    const left = { host_id: demo.hostId, kind: 'deals', state: 'refused' };
    await service.db('intake_records').insert([
      { ...left, job_id: 'kbroken', arrived_at: new Date(0), body: deal(3) },
      { ...left, job_id: 'knext', arrived_at: new Date(1), body: deal(4) },
    ]);
    await service.db.raw(`alter table leads add constraint bug check (dealname <> 'Inscrição 3')`);
    const { out } = await run('intake', 'replay', '--host', demo.slug, '--kind', 'deals');
    await service.db.raw('alter table leads drop constraint bug');
    expect(out).to.match(/\n\S+\tdeals\tfailed\t[^\t]*"bug"[^\t]*\n\S+\tdeals\tdone\t\n.*1 of 2 done/);
    const { id } = await service.db('intake_records').where({ job_id: 'kbroken' }).first();
    const again = await run('intake', 'replay', '--host', demo.slug, '--id', id);
    expect(again.out).to.match(new RegExp(`\n${id}\tdeals\tdone\t\n.*1 of 1 done`));
  });

  it('say in one line what is wrong, and change nothing', async () => {
    const broken = await folder.write('broken.json', {
      target: 'lead',
      fields: { a: 'nowhere' },
      required: [],
    });
    const before = await service.db('crm_mappings');
    for (const [name, ...args] of [
      ['mapping', 'set', ...on, '--file', broken],
      ['mapping', 'set', ...on, '--file', folder.pathOf('none.json')],
      ['mapping', 'set', ...on],
      ['mapping', 'set', ...on, '--preset', 'nobody'],
      ['mapping', 'show', '--host', 'nobody', '--kind', 'deals'],
      ['mapping', 'show', '--host', service.acme.slug, '--kind', 'objects'],
      ['intake', 'list', '--host', 'nobody'],
      ['intake', 'replay', '--host', demo.slug, '--id', 'x'],
    ] as const) {
      const { code, err } = await run(name, ...args);
      expect(code, args.join(' ')).to.equal(1);
      expect(err).to.not.include('    at ').and.not.equal('');
    }
    expect(await service.db('crm_mappings')).to.deep.equal(before);
  });

  it('take back a mapping as they have shown it, with what npm prints before it', async () => {
    const kind = ['--host', demo.slug, '--kind', 'tickets'];
    const { out } = await run('mapping', 'show', ...kind);
    const printed = `\n> parley@0.1.0 mapping\n> exec node commands/bootstrap.mjs mapping show\n\n${out}`;
    const path = await folder.write('shown.json', printed);
    expect(await run('mapping', 'set', ...kind, '--file', path)).to.include({ code: 0 });
    const again = JSON.parse((await run('mapping', 'show', ...kind)).out);
    expect(again).to.deep.equal({ ...JSON.parse(out), version: 1 });
    await service.db('crm_mappings').where({ kind: 'tickets' }).delete();
  });

  it('show the model of the specification where nothing else was agreed', async () => {
    const { out } = await run('mapping', 'show', '--host', demo.slug, '--kind', 'tickets');
    expect(JSON.parse(out)).to.deep.include({
      version: 0,
      target: 'ticket',
      campus: true,
      solvedStages: ['4'],
    });
  });
});
