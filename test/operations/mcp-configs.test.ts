import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { expectWrong } from '../support/contract.ts';
import { openOwnService } from '../support/service.ts';
import { readStoredRows } from '../support/stored-rows.ts';
import { someForms } from '../workers/egress-forms.ts';

const CANARY = 'Bearer canario-9f3b7c1d';

describe('the MCP configurations', () => {
  const service = openOwnService({ mcpStdioAllow: [['node', '/srv/mcp.js'], ['node']] });
  const { demo } = service;
  let avatarId: string;
  before(async () => {
    const { body } = await demo.call('listAvatars', { host_slug: 'demo' });
    avatarId = body.data.avatarsAdminList.avatars[0].avatar_id;
  });

  const save = (more: Record<string, unknown> = {}) => demo.call('saveMcpConfig', { ...more });
  const create = (more: Record<string, unknown> = {}) =>
    save({ avatarId, name: 'biblioteca', config: { url: 'https://mcp.example/mcp' }, ...more });
  const list = (more: Record<string, unknown> = {}) => demo.call('listMcpConfigs', more);
  const row = (id: string) => service.db('mcp_configs').where({ id }).first();

  it('are made with the defaults, and listed', async () => {
    const { status, body } = await create();
    expect({ status, code: body.code }).to.deep.equal({ status: 200, code: 200 });
    const { mcpId, ...data } = body.data;
    expect(data).to.deep.equal({
      hostId: demo.hostId,
      avatarId,
      name: 'biblioteca',
      controlConv: false,
      transportType: 'streamable',
      config: { url: 'https://mcp.example/mcp' },
      version: '1.0.0',
      enabled: true,
      unmasked: false,
    });
    const all = await list({ hostId: demo.hostId });
    expect(all.body.data.find((each: { mcpId: string }) => each.mcpId === mcpId)).to.deep.equal(body.data);
  });

  it('are changed under the name that answers give their id', async () => {
    const { mcpId, ...made } = (await create()).body.data;
    const before = (await list()).body.data.length;
    const changed = await save({ mcpId, Name: 'acervo', avatar_id: avatarId });
    expect(changed.body.data).to.deep.equal({ mcpId, ...made, name: 'acervo' });
    expect((await save({ mcpId: randomUUID(), name: 'acervo' })).status).to.equal(404);
    expect((await list()).body.data).to.have.length(before);
  });

  it('are deleted with their headers, by their id only, and no turn knows them any more', async () => {
    const config = { url: 'https://mcp.example/mcp', headers: { Authorization: CANARY } };
    const { mcpId } = (await create({ config })).body.data;
    const unnamed = await save({ deleted: true });
    expect([unnamed.status, unnamed.body.data.fields?.[0]?.path]).to.deep.equal([400, 'id']);
    const gone = await save({ mcpId, deleted: true, name: 'unused' });
    expect([gone.status, gone.body.data.deleted, gone.body.data.enabled]).to.deep.equal([200, true, false]);
    expect(await row(mcpId)).to.equal(undefined);
    expect((await save({ mcpId, deleted: true })).status).to.equal(404);
    const ids = (await list()).body.data.map((each: { mcpId: string }) => each.mcpId);
    expect(ids).not.to.include(mcpId);
  });

  it('take null for a setting that may be absent', async () => {
    const address = await create({ config: { url: 'https://mcp.example/mcp', headers: null } });
    expect(address.body.data.config).to.deep.equal({ url: 'https://mcp.example/mcp' });
    const command = await create({ transportType: 'stdio', config: { command: 'node', args: null } });
    expect(command.body.data.config).to.deep.equal({ command: 'node', args: [] });
  });

  it('take the host from the credentials when they are listed without one', async () => {
    const made = await create();
    const ids = (await list()).body.data.map((each: { mcpId: string }) => each.mcpId);
    expect(ids).to.include(made.body.data.mcpId);
    const foreign = await service.acme.call('listMcpConfigs', {});
    expect(foreign.body.data).to.deep.equal([]);
  });

  it('are listed for one avatar, and an avatar that is not ours is 404', async () => {
    const other = { host_id: demo.hostId, sub_slug: 'outra', avatar_name: 'Outra' };
    const { body } = await demo.call('createSubAvatar', other);
    const [ours, theirs] = [await create(), await create({ avatarId: body.data.avatar_id })];
    const idsOf = async (id: string) =>
      (await list({ avatarId: id })).body.data.map((each: { mcpId: string }) => each.mcpId);
    expect(await idsOf(avatarId))
      .to.include(ours.body.data.mcpId)
      .and.not.include(theirs.body.data.mcpId);
    expect(await idsOf(body.data.avatar_id)).to.deep.equal([theirs.body.data.mcpId]);
    const unknown = await list({ avatarId: randomUUID() });
    expect({ status: unknown.status, message: unknown.body.message }).to.deep.equal({
      status: 404,
      message: 'Avatar not found',
    });
  });

  it('keep in an edit what it omits', async () => {
    const made = await create({ controlConv: true, enabled: false, version: '2.1.0', transportType: 'sse' });
    const { mcpId } = made.body.data;
    const edited = await save({ id: mcpId, name: 'outra' });
    expect(edited.body.data).to.deep.equal({ ...made.body.data, name: 'outra' });
    const replaced = await save({ id: mcpId, config: { url: 'https://b.example/' } });
    expect(replaced.body.data.config).to.deep.equal({ url: 'https://b.example/' });
  });

  it('change their revision with every edit, so that no connection outlives one', async () => {
    const { mcpId } = (await create()).body.data;
    const first = (await row(mcpId)).revision;
    await save({ id: mcpId, enabled: false });
    expect((await row(mcpId)).revision).to.be.greaterThan(first);
  });

  it('show no value of a header, keep the masked ones and forget the left out', async () => {
    const headers = { Authorization: CANARY, 'X-Other': 'outro segredo' };
    const made = await create({ config: { url: 'https://a.example/', headers } });
    const masked = { Authorization: '***', 'X-Other': '***' };
    expect(made.body.data.config.headers).to.deep.equal(masked);
    const { mcpId } = made.body.data;
    const before = (await row(mcpId)).sealed_headers;
    const config = { url: 'https://a.example/', headers: { authorization: '***', 'X-New': 'novo' } };
    const edited = await save({ id: mcpId, config });
    expect(edited.body.data.config.headers).to.deep.equal({ Authorization: '***', 'X-New': '***' });
    const after = (await row(mcpId)).sealed_headers;
    expect(after.Authorization).to.equal(before.Authorization);
    expect(Object.keys(after)).to.have.members(['Authorization', 'X-New']);
  });

  it('have nothing to keep for a masked header that they never had', async () => {
    const { status, body } = await create({ config: { url: 'https://a.example/', headers: { A: '***' } } });
    expect(status).to.equal(400);
    expect(body.data.fields).to.deep.equal([{ path: 'config.headers.A', message: 'has no value to keep' }]);
  });

  it('keep a masked header only for the origin that it was given for, and name it where another is to have it', async () => {
    const headers = { Authorization: CANARY };
    const made = await create({ config: { url: 'https://a.example/one', headers } });
    const { mcpId } = made.body.data;
    const before = await row(mcpId);
    const edit = (url: string, more: Record<string, unknown> = {}, name = 'Authorization') =>
      save({ id: mcpId, config: { url, headers: { [name]: '***' } }, ...more });
    const others = [
      'https://evil.example/one',
      'http://a.example/one',
      'https://a.example:8443/one',
      'https://a.example./one',
      'https://a.example.evil.example/',
      'https://b.a.example/',
      'https://xn--a-0ga.example/',
    ];
    const path = 'config.headers.Authorization';
    const message = 'must be sent again: the URL has another origin';
    for (const [at, url] of others.entries()) {
      const more = [{}, { transportType: 'sse' }, { enabled: false }, { avatarId }][at] ?? {};
      const { status, body } = await edit(url, more);
      expect([status, body.data.fields], url).to.deep.equal([400, [{ path, message }]]);
    }
    expect(await row(mcpId)).to.deep.equal(before);
    const same = ['https://A.Example:443/two?x=1', 'https://a.example'];
    for (const url of same) {
      const { status } = await edit(url, { transportType: 'sse' }, 'AUTHORIZATION');
      expect([status, (await row(mcpId)).sealed_headers], url).to.deep.equal([200, before.sealed_headers]);
    }
  });

  it('take a header’s whole value or the mask alone, which a part of it would replace', async () => {
    const headers = { Authorization: CANARY };
    const { mcpId } = (await create({ config: { url: 'https://a.example/', headers } })).body.data;
    const edit = (value: string) =>
      save({ id: mcpId, config: { url: 'https://a.example/', headers: { Authorization: value } } });
    for (const value of ['Bearer ***', '***x', '****']) {
      expectWrong(await edit(value), 'config.headers.Authorization');
    }
    const before = (await row(mcpId)).sealed_headers;
    expect((await edit(' *** ')).status).to.equal(200);
    expect((await row(mcpId)).sealed_headers).to.deep.equal(before);
  });

  it('leave a header’s value in clear in no answer, log, row or job', async () => {
    const idempotent = { headers: { 'idempotency-key': 'canary' } };
    const body = {
      hostId: demo.hostId,
      avatarId,
      name: 'segredo',
      config: { url: 'https://a.example/', headers: { Authorization: CANARY } },
    };
    const answer = await demo.call('saveMcpConfig', body, idempotent);
    const wrong = await create({ config: { url: 'file:///x', headers: { A: CANARY, 'b b': CANARY } } });
    const listed = await list();
    expect([answer.status, wrong.status]).to.deep.equal([200, 400]);
    const { rows: tables } = await service.db.raw(
      `select table_schema || '.' || table_name as name from information_schema.tables
       where table_schema in ('public', 'bullmq') and table_type = 'BASE TABLE'`,
    );
    const stored = [];
    for (const { name } of tables) {
      const { rows } = await service.db.raw(`select r::text as text from ${name} r`);
      stored.push(...rows.map(({ text }: { text: string }) => text));
    }
    expect(stored.join()).to.include('segredo').and.not.include(CANARY);
    const seen = JSON.stringify([answer.body, wrong.body, listed.body]) + service.logged.join('');
    expect(seen).not.to.include(CANARY);
  });

  it('say what is missing or wrong, and nothing changes', async () => {
    const before = await readStoredRows(service.db);
    const refused: [Record<string, unknown>, string][] = [
      [{ avatarId, name: 'x' }, 'config'],
      [{ avatarId, config: { url: 'https://a.example/' } }, 'name'],
      [{ name: 'x', config: { url: 'https://a.example/' } }, 'avatarId'],
      [{ avatarId, name: 'x', config: {} }, 'config.url'],
      [{ avatarId, name: 'x', config: { url: 7 } }, 'config.url'],
      [{ avatarId, name: 'x', config: { url: 'sem esquema' } }, 'config.url'],
      [{ avatarId, name: 'x', config: { url: 'https://a.example', headers: [] } }, 'config.headers'],
      [
        { avatarId, name: 'x', config: { url: 'https://a.example', headers: { Host: 'b' } } },
        'config.headers.Host',
      ],
      [
        { avatarId, name: 'x', config: { url: 'https://a.example', headers: { A: 'a\r\nB: c' } } },
        'config.headers.A',
      ],
      [{ avatarId, name: 'x', config: { url: 'https://a.example', headers: { A: 1 } } }, 'config.headers.A'],
      [
        { avatarId, name: 'x', config: { url: 'https://a.example', headers: { A: 'a', a: 'b' } } },
        'config.headers',
      ],
      [
        { avatarId, name: 'x', config: { url: 'https://a.example' }, transportType: 'websocket' },
        'transportType',
      ],
      [{ avatarId, name: 'x', config: { url: 'https://a.example' }, transportType: 'stdio' }, 'config'],
    ];
    for (const [body, path] of refused) {
      const answer = await save(body);
      expect(answer.status, path).to.equal(400);
      expect(answer.body.data.fields.map((field: { path: string }) => field.path)).to.include(path);
    }
    expect(await readStoredRows(service.db)).to.deep.equal(before);
  });

  it('run a command only where the operator allows that exact one', async () => {
    const stdio = (config: Record<string, unknown>) => create({ transportType: 'stdio', config });
    const allowed = await stdio({ command: 'node', args: ['/srv/mcp.js'] });
    expect(allowed.status).to.equal(200);
    expect(allowed.body.data.config).to.deep.equal({ command: 'node', args: ['/srv/mcp.js'] });
    expect((await stdio({ command: 'node', args: ['/srv/mcp.js', '--inspect'] })).status).to.equal(400);
  });

  it('name no address of ours, however it is spelt', async () => {
    const before = await readStoredRows(service.db);
    for (const url of someForms) {
      for (const transportType of ['streamable', 'sse']) {
        const { status, body } = await create({ transportType, config: { url } });
        expect([status, body.data.fields[0].path], url).to.deep.equal([400, 'config.url']);
      }
    }
    expect(await readStoredRows(service.db)).to.deep.equal(before);
    const unknown = 'https://esse-nome-nao-existe.invalid/mcp';
    expect((await create({ config: { url: unknown } })).body.data.config.url).to.equal(unknown);
  });

  it('can be switched off when the rules have become stricter since', async () => {
    const { mcpId } = (await create()).body.data;
    const config = { url: 'http://10.0.0.1/mcp' };
    await service.db('mcp_configs').where({ id: mcpId }).update({ config });
    expect((await save({ id: mcpId, enabled: false })).body.data).to.include({ enabled: false });
    expect((await save({ id: mcpId, transportType: 'sse' })).status).to.equal(400);
  });
});
