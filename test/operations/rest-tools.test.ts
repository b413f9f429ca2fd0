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

  it('have up to three secrets, read back in the form in which they were sent', async () => {
    const [key, secret] = ['app_key', 'app_secret'].map(name => ({ kind: 'header', name, secret: CANARY }));
    for (const auth of [[{ kind: 'bearer', secret: CANARY }, key, secret], [key, secret], [key], key]) {
      const { toolId, ...made } = (await create({ auth })).body.data;
      const masked = JSON.parse(JSON.stringify(auth).replaceAll(CANARY, '***'));
      expect(made.auth).to.deep.equal(masked);
      expect(await list()).to.deep.include({ toolId, ...made });
      expect((await save({ toolId, auth: masked })).body.data.auth).to.deep.equal(masked);
      const moved = await save({ toolId, baseURL: 'https://evil.example' });
      const paths = Array.isArray(auth) ? auth.map((_, at) => `auth[${at}].secret`) : ['auth.secret'];
      expect(moved.body.data.fields.map(({ path, rule }: Fields) => [path, rule])).to.deep.equal(
        paths.map(path => [path, 'send-again']),
      );
    }
    expectWrong(await create({ auth: [] }), 'auth', /at least 1/);
    expectWrong(await create({ auth: [key, key, key, key] }), 'auth', /at most 3/);
  });

  it('keep each of several secrets by its kind and name, and no other in its place', async () => {
    const having = (kind: string, name: string, secret = '***') => ({ kind, name, secret });
    const { toolId } = await demo.make('saveRestTool', {
      avatarId: demo.avatarId,
      name: 'erp',
      baseURL,
      functions: [boletos],
      auth: having('header', 'app_key', 'k1'),
    });
    const stored = async () => Object.values((await row(toolId)).sealed_secrets);
    const [key] = await stored();
    await save({ toolId, auth: [having('header', 'app_secret', 's1'), having('header', 'APP_KEY')] });
    expect(await stored())
      .to.include(key)
      .and.have.length(2);
    for (const [at, auth] of [
      [0, [having('header', 'other')]],
      [0, [having('query', 'app_key'), having('header', 'app_key')]],
      [1, [having('header', 'app_key'), having('header', 'third')]],
    ] as const)
      expectWrong(await save({ toolId, auth }), `auth[${at}].secret`, /no value to keep/);
    expectWrong(await save({ toolId, auth: having('header', 'third') }), 'auth.secret', /no value to keep/);
    await save({ toolId, auth: [having('header', 'third', 't1'), having('header', 'app_secret')] });
    expect(await stored()).not.to.include(key);
    const [last] = (await save({ toolId, auth: [having('header', 'app_secret')] })).body.data.auth;
    expect([last, (await stored()).length]).to.deep.equal([having('header', 'app_secret'), 1]);
  });

  it('send no header or query field twice', async () => {
    const secret = 'x';
    const [bearer, basic] = [
      { kind: 'bearer', secret },
      { kind: 'basic', user: 'u', secret },
    ];
    const refused: [Fields[], string][] = [
      [
        [
          { kind: 'header', name: 'X-Key', secret },
          { kind: 'header', name: 'x-key', secret },
        ],
        'name',
      ],
      [
        [
          { kind: 'query', name: 'key', secret },
          { kind: 'query', name: 'key', secret },
        ],
        'name',
      ],
      [[bearer, { kind: 'header', name: 'authorization', secret }], 'name'],
      [[bearer, basic], 'kind'],
    ];
    for (const [auth, field] of refused) expectWrong(await create({ auth }), `auth[1].${field}`, /twice/);
    expectWrong(await create({ auth: [bearer, { kind: 'header', secret }] }), 'auth[1].name', /required/);
    const apart = [{ kind: 'query', name: 'key', secret }, { kind: 'query', name: 'Key', secret }, bearer];
    expect((await create({ auth: apart })).status).to.equal(200);
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
