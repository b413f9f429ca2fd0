import { expect } from 'chai';
import { deal } from '../support/crm.ts';
import { openOnce } from '../support/opened.ts';
import { runCommand, settingsOf } from '../support/run-command.ts';
import { openService } from '../support/service.ts';
import { hmacOf, sendRaw, standardHeaders } from '../support/signed.ts';
import { makeFolder } from '../support/temp-folder.ts';

describe('npm run mapping, for sources of signed records', () => {
  const service = openService();
  const folder = openOnce(makeFolder);

  const run = (command: string, ...args: string[]) => {
    const all = [command, '--host', service.demo.slug, ...args];
    return runCommand('mapping', all, settingsOf(service, folder.path));
  };
  const file = (text: string) => folder.write(`secret-${text.length}`, text);
  const send = async (path: string, n: number, secret: string) => {
    const body = JSON.stringify(deal(n));
    return (await sendRaw(service, path, body, standardHeaders(body, { secret }))).status;
  };

  it('makes one, shows its secret once, keeps two for a day after a rotation, and deletes it', async () => {
    const named = ['--name', 'shop'];
    const created = await run('set-source', ...named, '--kind', 'deals', '--scheme', 'standard');
    const [, path = '', first = ''] =
      /^Source "shop" created: (\S+)\nSecret, shown once: (whsec_\S+)\n$/.exec(created.out) ?? [];
    expect(created.code, created.err).to.equal(0);
    expect(await send(path, 1, first)).to.equal(200);

    const shown = await run('show-source', ...named);
    const settings = { name: 'shop', scheme: 'standard', ack: 'late', enabled: true, url: path };
    expect(JSON.parse(shown.out)).to.include(settings);
    expect(shown.out).to.not.match(/secret"|sealed|whsec/);

    const rotated = await run('rotate-source', ...named);
    const [, second = ''] =
      /valid for 24 hours more\.\nSecret, shown once: (whsec_\S+)\n$/.exec(rotated.out) ?? [];
    expect([await send(path, 2, first), await send(path, 3, second)]).to.deep.equal([200, 200]);
    await service
      .db('crm_sources')
      .update({ earlier_valid_until: service.db.raw(`now() - interval '1 second'`) });
    expect([await send(path, 4, first), await send(path, 4, second)]).to.deep.equal([401, 200]);

    const off = await run('set-source', ...named, '--enabled', 'off', '--ack', 'early');
    expect(off.out).to.equal(`Source "shop" changed: ${path}\n`);
    expect(await send(path, 5, second)).to.equal(401);
    await run('set-source', ...named, '--enabled', 'on');
    expect(await send(path, 5, second)).to.equal(202);

    expect((await run('list-sources')).out).to.match(
      /^name\tkind\tscheme\tack\tstate\tsecret set\taddress\nshop\tdeals\tstandard\tearly\tenabled\t\S+\t\S+\n$/,
    );
    expect((await run('delete-source', ...named)).code).to.equal(0);
    expect(await send(path, 6, second)).to.equal(401);
    expect((await run('delete-source', ...named)).code).to.equal(1);
  });

  it('names each change in the audit, without the secrets', async () => {
    const entries = await service.db('audit_entries').where({ table_name: 'crm_sources' }).orderBy('id');
    expect(entries.map(({ operation }) => operation)).to.deep.equal([
      'mapping set-source',
      'mapping rotate-source',
      'update',
      'mapping set-source',
      'mapping set-source',
      'mapping delete-source',
    ]);
    expect(JSON.stringify(entries)).to.not.include('sealed');
  });

  it('makes one that signs by a header of its own, with a secret of its own', async () => {
    const secret = 'a secret of the shop system';
    const scheme = ['--scheme', 'hmac', '--header', 'X-Zendesk-Webhook-Signature', '--encoding', 'base64'];
    const time = ['--timestamp-header', 'X-Zendesk-Webhook-Signature-Timestamp'];
    const signed = ['--signed', '{timestamp}{body}'];
    const options = [...scheme, ...time, ...signed, '--secret-file', await file(`${secret}\n`)];
    const base = ['--base-url', 'https://crm.example.com/'];
    const { out, err } = await run('set-source', '--name', 'desk', '--kind', 'tickets', ...options, ...base);
    const [, path = ''] = /^Source "desk" created: https:\/\/crm\.example\.com(\/api\S+)\n$/.exec(out) ?? [];
    expect(path, err).to.not.equal('');
    const body = JSON.stringify({ external_id: 1, email: 'ana@example.com' });
    const at = new Date().toISOString();
    const answer = await sendRaw(service, path, body, {
      'x-zendesk-webhook-signature': hmacOf(secret, `${at}${body}`, { encoding: 'base64' }),
      'x-zendesk-webhook-signature-timestamp': at,
    });
    expect(answer.status).to.equal(200);
    const plain = ['--scheme', 'hmac', '--header', 'X-Signature'];
    const warned = await run('set-source', '--name', 'plain', '--kind', 'deals', ...plain);
    expect(warned.out).to.include('It signs no time');
  });

  it('says in one line what is wrong, and changes nothing', async () => {
    const before = await service.db('crm_sources').orderBy('id');
    const named = ['--name', 'new', '--kind', 'deals'];
    for (const [command, ...rest] of [
      ['set-source', '--name', 'new'],
      ['set-source', ...named, '--scheme', 'hubspot'],
      ['set-source', ...named, '--scheme', 'hmac', '--header', 'X Y'],
      ['set-source', '--name', 'desk', '--secret-file', await file('another secret of the shop')],
      ['show-source', '--name', 'new'],
    ] as const) {
      const { code, err } = await run(command, ...rest);
      expect(code, [command, ...rest].join(' ')).to.equal(1);
      expect(err).to.not.include('    at ').and.not.equal('');
    }
    expect(await service.db('crm_sources').orderBy('id')).to.deep.equal(before);
  });

  it('changes the one that is named, and leaves those beside it as they were', async () => {
    for (const name of ['one', 'two'])
      await run('set-source', '--name', name, '--kind', 'deals', '--scheme', 'standard');
    const others = (name: string) => service.db('crm_sources').whereNot({ name }).orderBy('id');
    for (const name of ['one', 'two']) {
      const before = await others(name);
      expect((await run('set-source', '--name', name, '--enabled', 'off')).code).to.equal(0);
      expect((await run('rotate-source', '--name', name)).code).to.equal(0);
      expect(await others(name)).to.deep.equal(before);
      expect(await service.db('crm_sources').where({ name }).pluck('enabled')).to.deep.equal([false]);
    }
  });
});
