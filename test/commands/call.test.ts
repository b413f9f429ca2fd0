import { userInfo } from 'node:os';
import { expect } from 'chai';
import { takesBytes } from '../../queues/contract/operation.ts';
import { operationNames, operationOf } from '../../queues/contract/operations/index.ts';
import { openOnce } from '../support/opened.ts';
import { runCommand } from '../support/run-command.ts';
import { openService } from '../support/service.ts';
import { makeFolder } from '../support/temp-folder.ts';

describe('npm run call', () => {
  const service = openService();
  const folder = openOnce(makeFolder);

  const run = (...args: string[]) => {
    const { databaseUrl, secretKey } = service.settings;
    return runCommand('call', args, { DATABASE_URL: databaseUrl, SECRET_KEY: secretKey });
  };
  const asked = async (...args: string[]) => {
    const { code, out, err } = await run(...args);
    expect({ args, code, err }).to.deep.equal({ args, code: 0, err: '' });
    return JSON.parse(out);
  };
  const host = () => ['--host', service.demo.slug];

  it('runs an operation with fields in either spelling, and prints what it answers', async () => {
    const hours = '[{"days":[1],"from":"08:00","to":"18:00"}]';
    const flags = [
      '--max-chunks',
      '7',
      '--mask',
      'on',
      '--time_zone=America/Manaus',
      '--businessHours',
      hours,
    ];
    const changed = await asked('saveHost', ...host(), ...flags, '--modelFallbacks', 'a', 'b');
    expect(changed).to.deep.include({
      slug: service.demo.slug,
      maxChunks: 7,
      mask: true,
      timeZone: 'America/Manaus',
      businessHours: JSON.parse(hours),
      modelFallbacks: ['a', 'b'],
    });
    expect(await asked('saveHost', ...host(), '--model-fallbacks', '[]')).to.deep.include({
      modelFallbacks: [],
    });
    const { items } = await asked('listHosts');
    expect(items.map(({ slug }: { slug: string }) => slug)).to.include.members([
      service.demo.slug,
      service.acme.slug,
    ]);
  });

  it('reads nested fields after dots, and bodies and objects from files', async () => {
    const schema = { type: 'object', properties: { curso: { type: 'string' } } };
    const path = await folder.write('schema.json', schema);
    const named = ['--agentName', 'inscrever', '--schemaName', 'inscricao'];
    const agent = await asked('saveAgent', ...host(), ...named, '--schema', `@${path}`);
    expect(agent).to.include({ agentName: 'inscrever', schemaName: 'inscricao' });
    const sent = { hostId: service.demo.hostId, globalData: { platform: 'whatsapp' } };
    const body = await folder.write('body.json', sent);
    const flags = ['--globalData.curso', 'Direito', '--globalData.matricula', '12345678901234567890'];
    const { conversationId } = await asked('createConversation', body, ...flags);
    const { global_data: stored } = await service.db('conversations').where({ id: conversationId }).first();
    expect(stored).to.deep.equal({
      platform: 'whatsapp',
      curso: 'Direito',
      matricula: '12345678901234567890',
    });
    const left = ['--conversationId', conversationId, '--assigned_to', 'null'];
    expect(await asked('updateConversation', ...host(), ...left)).to.include({ assigned_to: null });
  });

  it('is named in the audit with its operation and the user of the operating system', async () => {
    await service.db('audit_entries').delete();
    await asked('saveHost', ...host(), '--share', '3');
    const [entry] = await service.db('audit_entries');
    expect(entry).to.include({
      actor_kind: 'command',
      actor_name: userInfo().username,
      operation: 'saveHost',
      token_id: null,
    });
  });

  it('ends with 1, the name of the refusal and its fields where it fails', async () => {
    const gone = ['--avatarId', crypto.randomUUID()];
    for (const [args, said] of [
      [['saveHost', ...host(), '--share', '11'], /^body-invalid: .*\n {2}share must be a whole number/],
      [['saveHost', ...host(), '--share', 'x'], /^body-invalid: .*\n {2}share must be a whole number/],
      [['readAvatar', ...host(), ...gone], /^avatar-not-found: Avatar not found\n$/],
      [['saveHost', ...host(), '--colour', 'red'], /no field "colour"/],
      [['saveHost', '--share', '2'], /Name one host by --host: .*acme/],
      [['saveHost', '--host', 'nobody'], /There is no host "nobody"/],
      [['listHosts', '--host'], /--host needs/],
      [['listWebhooks', ...host(), '--host-id', service.acme.hostId], /Name one host by --host/],
      [['saveHost', folder.pathOf('none.json')], /cannot be read/],
      [['saveNothing'], /There is no operation "saveNothing"/],
      [['importDocument', ...host()], /takes documents/],
    ] as const) {
      const { code, out, err } = await run(...args);
      expect({ code, out }, args.join(' ')).to.deep.equal({ code: 1, out: '' });
      expect(err).to.match(said).and.not.include('    at ');
    }
  });

  it('lists the operations by noun, and shows the fields of each with their limits and an example', async () => {
    const { out } = await run('--help');
    for (const name of operationNames) {
      if (takesBytes(operationOf(name))) continue;
      expect(out).to.match(new RegExp(`^  ${name} +\\S`, 'm'));
      const { code, out: about } = await run(name, '--help');
      expect(code).to.equal(0);
      expect(about).to.include(operationOf(name).summary).and.include('\nExample');
    }
    const { out: about } = await run('saveHost', '--help');
    expect(about).to.match(/--share a whole number from 1 to 10\. Weight/);
    expect(about).to.match(/ {4}days \(required\) a list of 1 to 7, each a whole number from 1 to 7\./);
  });
});
