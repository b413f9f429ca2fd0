import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { expectRefused, expectWrong } from '../support/contract.ts';
import type { Fields } from '../support/operation-calls.ts';
import { openOwnService } from '../support/service.ts';
import { readStoredRows, textOfDatabase } from '../support/stored-rows.ts';
import { someForms } from '../workers/egress-forms.ts';

const CANARY = 'Bearer canario-9f3b7c1d';

describe('the MCP configurations', () => {
  const service = openOwnService({ mcpStdioAllow: [['node', '/srv/mcp.js'], ['node']] });
  const { demo } = service;
  const url = 'https://mcp.example/mcp';

  const save = (more: Fields = {}) => demo.call('saveMcpConfig', more);
  const create = (more: Fields = {}) =>
    save({ avatarId: demo.avatarId, name: 'biblioteca', config: { url }, ...more });
  const list = async (more: Fields = {}): Promise<{ mcpId: string }[]> =>
    (await demo.call('listMcpConfigs', more)).body.data;
  const idsIn = (listed: { mcpId: string }[]) => listed.map(({ mcpId }) => mcpId);
  const row = (id: string) => service.db('mcp_configs').where({ id }).first();

  it('are made with the defaults, and listed', async () => {
    const { status, body } = await create();
    expect({ status, code: body.code }).to.deep.equal({ status: 200, code: 200 });
    const { mcpId, ...data } = body.data;
    expect(data).to.deep.equal({
      hostId: demo.hostId,
      avatarId: demo.avatarId,
      name: 'biblioteca',
      controlConv: false,
      transportType: 'streamable',
      config: { url },
      version: '1.0.0',
      enabled: true,
      unmasked: false,
    });
    expect((await list({ hostId: demo.hostId })).find(each => each.mcpId === mcpId)).to.deep.equal(body.data);
  });

  it('are changed under the name that answers give their id', async () => {
    const { mcpId, ...made } = (await create()).body.data;
    const before = (await list()).length;
    const changed = await save({ mcpId, Name: 'acervo', avatar_id: demo.avatarId });
    expect(changed.body.data).to.deep.equal({ mcpId, ...made, name: 'acervo' });
    expect((await save({ mcpId: randomUUID(), name: 'acervo' })).status).to.equal(404);
    expect(await list()).to.have.length(before);
  });

  it('are deleted with their headers, by their id only, and no turn knows them any more', async () => {
    const config = { url, headers: { Authorization: CANARY } };
    const { mcpId } = (await create({ config })).body.data;
    expectWrong(await save({ deleted: true }), 'id');
    const gone = await save({ mcpId, deleted: true, name: 'unused' });
    expect([gone.status, gone.body.data.deleted, gone.body.data.enabled]).to.deep.equal([200, true, false]);
    expect(await row(mcpId)).to.equal(undefined);
    expect((await save({ mcpId, deleted: true })).status).to.equal(404);
    expect(idsIn(await list())).not.to.include(mcpId);
  });

  it('take null for a setting that may be absent', async () => {
    expect((await create({ config: { url, headers: null } })).body.data.config).to.deep.equal({ url });
    const command = await create({ transportType: 'stdio', config: { command: 'node', args: null } });
    expect(command.body.data.config).to.deep.equal({ command: 'node', args: [] });
  });

  it('take the host from the credentials when they are listed without one', async () => {
    const made = await create();
    expect(idsIn(await list())).to.include(made.body.data.mcpId);
    expect((await service.acme.call('listMcpConfigs', {})).body.data).to.deep.equal([]);
  });

  it('are listed for one avatar, and an avatar that is not ours is 404', async () => {
    const { avatar_id: other } = await demo.make('createSubAvatar', { sub_slug: 'outra' });
    const made = [await create(), await create({ avatarId: other })];
    const [ours, theirs] = made.map(({ body }) => body.data.mcpId);
    const idsOf = async (avatarId: string) => idsIn(await list({ avatarId }));
    expect(await idsOf(demo.avatarId))
      .to.include(ours)
      .and.not.include(theirs);
    expect(await idsOf(other)).to.deep.equal([theirs]);
    expectRefused(await demo.call('listMcpConfigs', { avatarId: randomUUID() }), 'avatar-not-found');
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
    const made = await create({ config: { url: 'https://a.example/', headers: { A: '***' } } });
    expectWrong(made, 'config.headers.A', /^has no value to keep$/);
  });

  it('keep a masked header only for the origin that it was given for, and name it where another is to have it', async () => {
    const headers = { Authorization: CANARY };
    const made = await create({ config: { url: 'https://a.example/one', headers } });
    const { mcpId } = made.body.data;
    const before = await row(mcpId);
    const edit = (url: string, more: Fields = {}, name = 'Authorization') =>
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
    const message = /^must be sent again: the URL has another origin$/;
    for (const [at, address] of others.entries()) {
      const more = [{}, { transportType: 'sse' }, { enabled: false }, { avatarId: demo.avatarId }][at] ?? {};
      expectWrong(await edit(address, more), 'config.headers.Authorization', message);
    }
    expect(await row(mcpId)).to.deep.equal(before);
    const same = ['https://A.Example:443/two?x=1', 'https://a.example'];
    for (const address of same) {
      const { status } = await edit(address, { transportType: 'sse' }, 'AUTHORIZATION');
      expect([status, (await row(mcpId)).sealed_headers], address).to.deep.equal([
        200,
        before.sealed_headers,
      ]);
    }
  });

  it('take a header’s whole value or the mask alone, which a part of it would replace', async () => {
    const headers = { Authorization: CANARY };
    const { mcpId } = (await create({ config: { url: 'https://a.example/', headers } })).body.data;
    const edit = (value: string) =>
      save({ id: mcpId, config: { url: 'https://a.example/', headers: { Authorization: value } } });
    for (const value of ['Bearer ***', '***x', '****'])
      expectWrong(await edit(value), 'config.headers.Authorization');
    const before = (await row(mcpId)).sealed_headers;
    expect((await edit(' *** ')).status).to.equal(200);
    expect((await row(mcpId)).sealed_headers).to.deep.equal(before);
  });

  it('leave a header’s value in clear in no answer, log, row or job', async () => {
    const headers = { 'idempotency-key': 'canary' };
    const config = { url: 'https://a.example/', headers: { Authorization: CANARY } };
    const body = { avatarId: demo.avatarId, name: 'segredo', config };
    const answer = await demo.call('saveMcpConfig', body, { headers });
    const wrong = await create({ config: { url: 'file:///x', headers: { A: CANARY, 'b b': CANARY } } });
    const listed = await list();
    expect([answer.status, wrong.status]).to.deep.equal([200, 400]);
    const stored = await textOfDatabase(service.db);
    expect(stored.join()).to.include('segredo').and.not.include(CANARY);
    const seen = JSON.stringify([answer.body, wrong.body, listed]) + service.logged.join('');
    expect(seen).not.to.include(CANARY);
  });

  it('say what is missing or wrong, and nothing changes', async () => {
    const before = await readStoredRows(service.db);
    const having = (headers: unknown) => ({ config: { url, headers } });
    const refused: [Fields, string][] = [
      [{ config: undefined }, 'config'],
      [{ name: undefined }, 'name'],
      [{ avatarId: undefined }, 'avatarId'],
      [{ config: {} }, 'config.url'],
      [{ config: { url: 7 } }, 'config.url'],
      [{ config: { url: 'sem esquema' } }, 'config.url'],
      [having([]), 'config.headers'],
      [having({ Host: 'b' }), 'config.headers.Host'],
      [having({ A: 'a\r\nB: c' }), 'config.headers.A'],
      [having({ A: 1 }), 'config.headers.A'],
      [having({ A: 'a', a: 'b' }), 'config.headers'],
      [{ transportType: 'websocket' }, 'transportType'],
      [{ transportType: 'stdio' }, 'config'],
    ];
    for (const [changes, path] of refused) {
      const answer = await create(changes);
      expect(answer.status, path).to.equal(400);
      expect(answer.body.data.fields.map((field: Fields) => field['path'])).to.include(path);
    }
    expect(await readStoredRows(service.db)).to.deep.equal(before);
  });

  it('run a command only where the operator allows that exact one', async () => {
    const stdio = (config: Fields) => create({ transportType: 'stdio', config });
    const config = { command: 'node', args: ['/srv/mcp.js'] };
    const { status, body } = await stdio(config);
    expect([status, body.data.config]).to.deep.equal([200, config]);
    expect((await stdio({ command: 'node', args: ['/srv/mcp.js', '--inspect'] })).status).to.equal(400);
  });

  it('name no address of ours, however it is spelt', async () => {
    const before = await readStoredRows(service.db);
    for (const form of someForms) {
      for (const transportType of ['streamable', 'sse']) {
        const { status, body } = await create({ transportType, config: { url: form } });
        expect([status, body.data.fields[0].path], form).to.deep.equal([400, 'config.url']);
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
