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

  const run = (name: string, ...args: string[]) =>
    runCommand(name, args, { ...settingsOf(service, folder.path), LOG_LEVEL: 'fatal' });
  const object = { cod: 7, mail: 'ana@example.com', turno: 'noite' };

  it('list what was refused, agree on a mapping, try it without writing, and replay', async () => {
    expect((await service.call(`${CRM}/objects`, object)).status).to.equal(400);
    const listed = await run('intake', 'list', '--host', demo.slug);
    expect(listed.out).to.match(/^recordId\tkind\tfate\t.*\n[0-9a-f-]{36}\tobjects\trefused\t.*\n$/);

    const fields = { cod: 'external_id', mail: 'email' };
    const written = { target: 'lead', fields, required: ['cod'] };
    // What npm prints before the output of a command is skipped.
    const printed = `\n> parley@0.1.0 mapping\n> exec node mapping show\n\n${JSON.stringify(written)}`;
    const mapping = await folder.write('mapping.json', printed);
    const record = await folder.write('record.json', object);
    const checked = await run('mapping', 'check', ...on, '--record', record, '--file', mapping);
    expect(JSON.parse(checked.out).fields).to.deep.include({ field: 'turno', to: null });
    expect(await service.db('crm_mappings')).to.deep.equal([]);
    expect(await run('mapping', 'set', ...on, '--file', mapping)).to.include({ code: 0, err: '' });
    expect(JSON.parse((await run('mapping', 'show', ...on)).out)).to.deep.include({ version: 1 });

    const replayed = await run('intake', 'replay', '--host', demo.slug);
    expect(replayed.out).to.match(/^recordId\tkind\t.*\n\S+\tobjects\t.*\tdone\t.*\n$/);
    expect((await run('intake', 'list', '--host', demo.slug)).out).to.equal('');
    expect((await run('mapping', 'set', ...on, '--preset', 'rdstation')).out).to.match(/\tobjects\t2\n$/);
  });

  it('replay in the order of arrival, go on where one cannot be stored, and replay one that is named', async () => {
    const left = { host_id: demo.hostId, kind: 'deals', state: 'refused' };
    await service.db('intake_records').insert([
      { ...left, job_id: 'kbroken', arrived_at: new Date(0), body: deal(3) },
      { ...left, job_id: 'knext', arrived_at: new Date(1), body: deal(4) },
    ]);
    await service.db.raw(`alter table leads add constraint bug check (dealname <> 'Inscrição 3')`);
    const { out } = await run('intake', 'replay', '--host', demo.slug, '--kind', 'deals');
    await service.db.raw('alter table leads drop constraint bug');
    expect(out).to.match(/\n\S+\tdeals\t.*\tfailed\t.*\n\S+\tdeals\t.*\tdone\t.*\n$/);
    const { id } = await service.db('intake_records').where({ job_id: 'kbroken' }).first();
    await service
      .db('intake_records')
      .insert({ ...left, job_id: 'kother', arrived_at: new Date(2), body: deal(5) });
    const again = await run('intake', 'replay', '--host', demo.slug, '--id', id);
    expect(again.out).to.match(new RegExp(`\n${id}\tdeals\t.*\tdone\t.*\n$`));
    expect(await service.db('intake_records').where({ job_id: 'kother' }).pluck('state')).to.deep.equal([
      'refused',
    ]);
  });

  it('make, rotate, show and delete sources, with secrets from files', async () => {
    const named = ['--host', demo.slug, '--name', 'desk'];
    const secret = await folder.write('secret', ' a secret of the shop system\n');
    const hmac = ['--kind', 'deals', '--scheme', 'hmac', '--header', 'X-Sign', '--secret-file', secret];
    expect((await run('mapping', 'set-source', ...named, ...hmac)).out).to.match(
      /\tdesk\thmac\tdeals\tlate\t/,
    );
    expect((await run('mapping', 'set-source', ...named, '--enabled', 'off')).code).to.equal(0);
    const shown = await run('mapping', 'show-source', ...named);
    expect(JSON.parse(shown.out)).to.include({ enabled: false, header: 'x-sign', secret: '***' });
    expect((await run('mapping', 'rotate-source', ...named)).out).to.match(/\t[0-9a-f]{64}\t/);
    expect((await run('mapping', 'list-sources', '--host', demo.slug)).out).to.match(/^hostId\tname\t/);
    expect((await run('mapping', 'delete-source', ...named)).code).to.equal(0);
    expect((await run('mapping', 'delete-source', ...named)).err).to.match(/^source-not-found: /);
  });

  it('say in one line what is wrong, and change nothing', async () => {
    const before = await service.db('crm_mappings');
    for (const [name, ...args] of [
      ['mapping', 'set', ...on, '--file', folder.pathOf('none.json')],
      ['mapping', 'set', ...on, '--preset', 'nobody'],
      ['mapping', 'show', '--host', 'nobody', '--kind', 'deals'],
      ['intake', 'replay', '--host', 'nobody'],
      ['intake', 'replay', '--host', demo.slug, '--id', 'x'],
    ] as const) {
      const { code, err } = await run(name, ...args);
      expect(code, args.join(' ')).to.equal(1);
      expect(err).to.not.include('    at ').and.not.equal('');
    }
    expect(await service.db('crm_mappings')).to.deep.equal(before);
  });
});
