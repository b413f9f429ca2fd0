import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { expectRefused, expectWrong } from '../support/contract.ts';
import type { Fields } from '../support/operation-calls.ts';
import { openService } from '../support/service.ts';
import { readStoredRows, textOfDatabase } from '../support/stored-rows.ts';

const CANARY = 'canario-7c1b9f3d';

describe('the REST tools', () => {
  const service = openService();
  const { demo } = service;
  const baseURL = 'https://erp.example/api';
  const named = { name: 'boletos', description: 'Boletos.', method: 'GET', path: '/boletos/{cpf}' };
  const schema = { type: 'object', properties: { cpf: { type: 'string' } }, required: ['cpf'] };
  const boletos = { ...named, arguments: schema };

  const save = (more: Fields) => demo.call('saveRestTool', more);
  const create = (more: Fields = {}) =>
    save({ avatarId: demo.avatarId, name: 'financeiro', baseURL, functions: [boletos], ...more });
  const list = async (): Promise<Fields[]> => (await demo.call('listRestTools')).body.data;
  const row = (id: string) => service.db('rest_tools').where({ id }).first();

  it('are made with the defaults, changed in the fields that are sent, and deleted by their id only', async () => {
    const { status, body } = await create();
    const { toolId, ...data } = body.data;
    expect({ status, data }).to.deep.equal({
      status: 200,
      data: {
        hostId: demo.hostId,
        avatarId: demo.avatarId,
        name: 'financeiro',
        baseURL,
        auth: { kind: 'none' },
        functions: [boletos],
        enabled: true,
        unmasked: false,
      },
    });
    const edited = await save({ toolId, name: 'tesouraria', enabled: false });
    expect(edited.body.data).to.deep.equal({ ...body.data, name: 'tesouraria', enabled: false });
    expect(await list()).to.deep.include(edited.body.data);
    expectWrong(await save({ deleted: true }), 'toolId');
    expect((await save({ toolId, deleted: true })).body.data).to.include({ deleted: true, enabled: false });
    expectRefused(await save({ toolId, name: 'x' }), 'rest-tool-not-found');
    expect(await row(toolId)).to.equal(undefined);
  });

  it('keep a secret that is sent as ***, for its own origin only', async () => {
    const auth = { kind: 'bearer', secret: CANARY };
    const { toolId, ...made } = (await create({ auth })).body.data;
    expect(made.auth).to.deep.equal({ kind: 'bearer', secret: '***' });
    const { sealed_secrets: sealed } = await row(toolId);
    const masked = { kind: 'header', name: 'X-Key', secret: '***' };
    const kept = await save({ toolId, auth: masked, baseURL: 'https://ERP.example:443/v2' });
    expect(kept.body.data.auth).to.deep.equal(masked);
    expect((await row(toolId)).sealed_secrets).to.deep.equal(sealed);
    for (const address of ['https://evil.example/v2', 'http://erp.example/v2', 'https://erp.example:8443/v2'])
      expectWrong(await save({ toolId, baseURL: address }), 'auth.secret', /must be sent again/);
    expectWrong(await save({ toolId, auth: { kind: 'bearer', secret: 'a***' } }), 'auth.secret');
    expectWrong(await create({ auth: { kind: 'bearer', secret: '***' } }), 'auth.secret', /no value to keep/);
    await save({ toolId, auth: { kind: 'none' } });
    expect((await row(toolId)).sealed_secrets).to.deep.equal({});
  });

  it('leave a secret in clear in no answer, log, row or job', async () => {
    const auth = { kind: 'basic', user: 'parley', secret: CANARY };
    const headers = { 'idempotency-key': 'canary' };
    const body = { avatarId: demo.avatarId, name: 'segredo', baseURL, functions: [boletos], auth };
    const answers = [
      await demo.call('saveRestTool', body, { headers }),
      await create({ auth, baseURL: 'file:///x' }),
      await create({ auth: { kind: 'bearer', secret: `${CANARY}\n` } }),
    ];
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 400, 400]);
    const stored = await textOfDatabase(service.db);
    const shown = JSON.stringify([...answers.map(each => each.body), await list()]);
    expect(stored.join()).to.include('segredo');
    expect(stored.join() + shown + service.logged.join('')).not.to.include(CANARY);
  });

  it('say what is missing or wrong, and nothing changes', async () => {
    const before = await readStoredRows(service.db);
    const having = (more: Fields) => ({ functions: [{ ...boletos, ...more }] });
    const refused: [Fields, string][] = [
      [{ functions: undefined }, 'functions'],
      [{ baseURL: undefined }, 'baseURL'],
      [{ avatarId: undefined }, 'avatarId'],
      [{ baseURL: 'http://10.0.0.1/api' }, 'baseURL'],
      [{ baseURL: 'https://erp.example/?key=1' }, 'baseURL'],
      [{ auth: { kind: 'bearer' } }, 'auth.secret'],
      [{ auth: { kind: 'basic', secret: 'x' } }, 'auth.user'],
      [{ auth: { kind: 'header', name: 'Host', secret: 'x' } }, 'auth.name'],
      [{ functions: [boletos, boletos] }, 'functions[1].name'],
      [having({ arguments: { type: 'string' } }), 'functions[0].arguments'],
      [having({ path: 'boletos' }), 'functions[0].path'],
      [having({ path: '/boletos/../admin' }), 'functions[0].path'],
      [having({ path: '/boletos/{matricula}' }), 'functions[0].path'],
      [having({ query: [{ argument: 'ano' }] }), 'functions[0].query[0].argument'],
      [having({ headers: [{ argument: 'cpf', name: 'Host' }] }), 'functions[0].headers[0].name'],
      [having({ body: 'json' }), 'functions[0].body'],
      [having({ pick: ['boletos'] }), 'functions[0].pick[0]'],
    ];
    for (const [changes, path] of refused) {
      const answer = await create(changes);
      expect([answer.status, answer.body.data.fields?.[0].path], path).to.deep.equal([400, path]);
    }
    expectRefused(await save({ toolId: randomUUID(), name: 'x' }), 'rest-tool-not-found');
    expect(await readStoredRows(service.db)).to.deep.equal(before);
  });
});
