import { expect } from 'chai';
import { expectWrong } from '../support/contract.ts';
import { openOnce } from '../support/opened.ts';
import type { Fields } from '../support/operation-calls.ts';
import { startReceiver } from '../support/receiver.ts';
import { borrowService, openOwnService } from '../support/service.ts';

const MIB = 1_048_576;
const operations = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`/p${at}`, { get: { operationId: `op${at}` } }]),
  );
const described = (paths: object, more: object = {}) =>
  JSON.stringify({ openapi: '3.1.0', servers: [{ url: 'https://erp.example/api/' }], paths, ...more });
const SCHOOL = `
openapi: 3.0.3
servers: [{ url: https://erp.example/api }]
paths:
  /boletos/{cpf}:
    get: { operationId: listar boletos, summary: Boletos em aberto }
    delete: { operationId: cancelar }
  /anexos:
    $ref: '#/paths/~1anexos'
  /lote:
    post: { operationId: lote, requestBody: { content: { application/xml: {} } } }
`;

describe('an OpenAPI file of a REST tool', () => {
  const service = openOwnService({ egressAllowPrivate: true });
  const { demo } = service;
  const files = openOnce(startReceiver);

  const read = (openapi: string, host = demo) => host.call('readOpenApi', { openapi });
  const save = (more: Fields, host = demo) =>
    host.call('saveRestTool', { avatarId: host.avatarId, name: 'ERP', ...more });
  const namesOf = (functions: { name: string }[]) => functions.map(({ name }) => name);

  it('is listed with its address, its functions and what can be none, and nothing is stored', async () => {
    const { status, body } = await read(SCHOOL);
    expect(status, JSON.stringify(body)).to.equal(200);
    const { baseURLs, auth, functions, left } = body.data;
    expect({ baseURLs, auth }).to.deep.equal({ baseURLs: ['https://erp.example/api'], auth: [] });
    expect(functions).to.deep.equal([
      {
        name: 'listar_boletos',
        description: 'Boletos em aberto',
        method: 'GET',
        path: '/boletos/{cpf}',
      },
      { name: 'cancelar', description: '', method: 'DELETE', path: '/boletos/{cpf}' },
    ]);
    expect(left.map(({ path, rule }: Fields) => `${String(path)} ${String(rule)}`)).to.have.members([
      '/paths/~1anexos unknown',
      '/paths/~1lote/post/requestBody/content unsupported',
    ]);
    expect(await service.db('rest_tools')).to.deep.equal([]);
  });

  it('becomes a tool at its server, with all its operations or those that are named, and moves no tool', async () => {
    const { toolId, ...made } = (await save({ openapi: SCHOOL })).body.data;
    expect(made.baseURL).to.equal('https://erp.example/api');
    expect(namesOf(made.functions)).to.deep.equal(['listar_boletos', 'cancelar']);
    expect(made.functions[0].arguments.required).to.deep.equal(['cpf']);
    const { data } = (await save({ toolId, openapi: SCHOOL, operations: ['listar boletos'] })).body;
    expect(namesOf(data.functions)).to.deep.equal(['listar_boletos']);
    expect(data.baseURL).to.equal('https://erp.example/api');
    await demo.call('saveRestTool', { toolId, deleted: true });
  });

  it('proposes secrets that are wanted together in the form in which a tool takes them', async () => {
    const [one, other] = ['app_key', 'app_secret'].map(name => ({ type: 'apiKey', in: 'header', name }));
    const security = [{ one: [], other: [] }];
    const file = described(operations(1), { security, components: { securitySchemes: { one, other } } });
    const [together] = (await read(file)).body.data.auth;
    const auth = together.map((each: Fields) => ({ ...each, secret: 's3gr3d0' }));
    const { data } = (await save({ openapi: file, auth })).body;
    expect(data.auth).to.deep.equal(
      ['app_key', 'app_secret'].map(name => ({ kind: 'header', name, secret: '***' })),
    );
    await demo.call('saveRestTool', { toolId: data.toolId, deleted: true });
  });

  it('may have 5 MiB, and its list as many functions as it has', async () => {
    const paths = operations(1_500);
    const padded = described(paths, { 'x-pad': 'x'.repeat(4 * MIB) });
    expect(namesOf((await read(padded)).body.data.functions)).to.have.length(1_500);
    const { data } = (await save({ openapi: padded, operations: ['op7', 'op1499'] })).body;
    expect(namesOf(data.functions)).to.deep.equal(['op7', 'op1499']);
    await demo.call('saveRestTool', { toolId: data.toolId, deleted: true });
  });

  it('may be at an address, to which its server may be relative', async () => {
    files.script(({ path }, response) =>
      path === '/v2/openapi.yaml'
        ? void response.end(SCHOOL.replace('https://erp.example/api', '/api'))
        : void response.writeHead(404).end(),
    );
    expect((await read(`${files.url}/v2/openapi.yaml`)).body.data.baseURLs).to.deep.equal([
      `${files.url}/api`,
    ]);
    const { data } = (await save({ openapi: `${files.url}/v2/openapi.yaml` })).body;
    expect(data.baseURL).to.equal(`${files.url}/api`);
    await demo.call('saveRestTool', { toolId: data.toolId, deleted: true });
    expectWrong(await read(`${files.url}/gone`), 'openapi', /cannot be fetched/);
    files.script((_, response) => void response.end(' '.repeat(5 * MIB + 1)));
    expectWrong(await read(files.url), 'openapi', /too large/);
  });

  it('is refused by the field that is wrong, and nothing is stored', async () => {
    const strict = await borrowService();
    const functions = [{ name: 'a', description: '', method: 'GET', path: '/a', arguments: {} }];
    const openapi = SCHOOL;
    const bad: [string, Fields, string, RegExp][] = [
      ['both', { openapi, functions }, 'functions', /exactly one of functions and openapi/],
      ['neither', {}, 'functions', /exactly one of functions and openapi/],
      ['no file', { operations: ['a'], functions }, 'operations', /needs openapi/],
      ['empty', { openapi: '' }, 'openapi', /empty/],
      ['too long', { openapi: `#${'x'.repeat(5 * MIB)}` }, 'openapi', /at most 5242880/],
      ['no OpenAPI', { openapi: '<html></html>' }, 'openapi', /must be of another type/],
      [
        'a private server',
        { openapi: described(operations(1), { servers: [{ url: 'http://10.0.0.1' }] }) },
        'baseURL',
        /private/,
      ],
      ['a private address', { openapi: 'http://10.0.0.1/openapi.json' }, 'openapi', /private/],
    ];
    for (const [title, more, path, message] of bad) {
      const answer = await save(more, strict.demo);
      expect(answer.status, `${title}: ${JSON.stringify(answer.body).slice(0, 300)}`).to.equal(400);
      expectWrong(answer, path, message);
    }
    expect(await strict.db('rest_tools')).to.deep.equal([]);
    await strict.close();
  });

  it('keeps no other host waiting, however slow the address of one is', async () => {
    let end = () => {};
    const asked = new Promise<void>(resolve =>
      files.script((_, response) => {
        end = () => void response.end(SCHOOL);
        resolve();
      }),
    );
    const slow = read(files.url);
    await asked;
    expect((await read(SCHOOL, service.acme)).status).to.equal(200);
    end();
    expect((await slow).status).to.equal(200);
  });
});
