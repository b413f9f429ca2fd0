import { expect } from 'chai';
import { listRestTools } from '../../db/assistants/rest-tools.ts';
import { setHost } from '../../db/hosts/hosts.ts';
import { withHost } from '../../db/with-hosts.ts';
import { NO_MASKING } from '../../workers/domain/masking/masking.ts';
import { makeToolProvider } from '../../workers/tools/outside-tools.ts';
import { makeRest } from '../../workers/tools/rest/rest.ts';
import { openOnce } from '../support/opened.ts';
import type { Fields } from '../support/operation-calls.ts';
import { startReceiver } from '../support/receiver.ts';
import { startScriptedMcp, toolNamed } from '../support/scripted-mcp.ts';
import { call, rounds, say, toolResultsIn } from '../support/scripted-model.ts';
import { type ServedHost, withReceipt } from '../support/served-host.ts';
import { borrowService, openOwnService } from '../support/service.ts';

const CANARY = 'canario-2d8e6a41';
const JSON_BODY = { 'content-type': 'application/json' };
const boletos = {
  name: 'boletos',
  description: 'Boletos em aberto.',
  method: 'GET',
  path: '/boletos/{cpf}',
  query: [{ argument: 'ano' }],
  headers: [{ argument: 'campus', name: 'X-Campus' }],
  arguments: {
    type: 'object',
    properties: { cpf: { type: 'string' }, ano: { type: 'integer' }, campus: { type: 'string' } },
  },
};
const args = { cpf: '1/2', ano: 2026, campus: 'Sul', extra: 'x' };

describe('a turn whose avatar has REST tools', () => {
  const service = openOwnService({ egressAllowPrivate: true });
  const { demo, model } = service;
  const [system, other] = [openOnce(startReceiver), openOnce(startReceiver)];
  beforeEach(() => {
    system.script((_, response) => void response.writeHead(200, JSON_BODY).end('{"boletos": [7]}'));
    other.script((_, response) => void response.end('segredo de outro'));
  });
  afterEach(async () => {
    for (const table of ['rest_tools', 'mcp_configs']) await service.db(table).delete();
    for (const wire of [system.received, other.received, model.requests]) wire.length = 0;
    service.logged.length = 0;
  });

  const save = (more: Fields = {}, host: ServedHost = demo) => {
    const tool = {
      avatarId: host.avatarId,
      name: 'ERP',
      baseURL: `${system.url}/api/`,
      functions: [boletos],
    };
    return host.make('saveRestTool', { ...tool, ...more });
  };
  /** The model calls the function; `told` is what it gets. */
  const ask = async (name = 'ERP__boletos', sent: Fields = args, more: Fields = withReceipt) => {
    model.script(rounds(call([[name, sent]]), say('Pronto.')));
    const { status, body, data } = await service.ask('Tenho boletos?', more);
    expect(status, JSON.stringify(body)).to.equal(200);
    const lines: Fields[] = data.restStatus.filter(({ name: each }: { name: string }) =>
      each.startsWith('rest:'),
    );
    const [told = ''] = toolResultsIn(model.requests.at(-1));
    return { data, lines, told };
  };
  const offered = () => model.requests[0]?.tools?.map(({ function: { name } }) => name) ?? [];

  it('calls what the model asks for, with each argument in its place and no other', async () => {
    await save({ auth: { kind: 'bearer', secret: CANARY } });
    const { data, lines, told } = await ask();
    expect(told).to.equal('{"boletos": [7]}');
    expect(system.received.map(({ path }) => path)).to.deep.equal(['/api/boletos/1%2F2?ano=2026']);
    expect(system.received[0]?.headers).to.include({ 'x-campus': 'Sul', authorization: `Bearer ${CANARY}` });
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include({ name: 'rest:ERP:boletos', status: 200 });
    const [run] = data.svcCompleteLog[0].toolCalls;
    expect(run).to.include({ name: 'ERP__boletos', kind: 'rest', status: 'done' });
  });

  it('gives the model what `pick` names of an answer, and no more than 16,000 characters', async () => {
    const listed = [{ valor: 10, linha: 'x'.repeat(20_000) }];
    system.script((_, response) => void response.end(JSON.stringify({ total: 1, boletos: listed })));
    await save({
      functions: [
        { ...boletos, pick: ['/boletos/*/valor'] },
        { ...boletos, name: 'tudo' },
      ],
    });
    expect((await ask()).told).to.equal('{"boletos":[{"valor":10}]}');
    expect((await ask('ERP__tudo')).told).to.have.length.within(16_000, 16_020);
  });

  it('tells the model the status and 500 characters of a refusal, without the secret', async () => {
    const said = `no ${CANARY} ${'x'.repeat(600)}`;
    system.script((_, response) => void response.writeHead(404).end(said));
    await save({ auth: { kind: 'query', name: 'key', secret: CANARY } });
    const { lines, told } = await ask();
    expect(system.received[0]?.path).to.include(`key=${CANARY}`);
    expect(told).to.match(/^O sistema recusou com 404\. no \*\*\* x{493}$/);
    expect(lines[0]).to.include({ status: 404, error: 'refused with 404' });
  });

  it('sends what needs no yes at once, without what its schema does not name', async () => {
    await save({ functions: [{ ...boletos, name: 'pagar', method: 'POST', confirm: 'none', query: [] }] });
    expect((await ask('ERP__pagar')).lines[0]).to.include({ status: 200 });
    expect(system.received[0]?.body).to.include({ ano: 2026 }).and.not.have.property('extra');
  });

  it('makes no call in a rehearsal but those that read, whoever has to say yes', async () => {
    const pagar = { ...boletos, name: 'pagar', method: 'POST', confirm: 'none', query: [] };
    await save({ functions: [boletos, pagar] });
    const rehearsal = { reasoningConfig: { rehearsal: true, svcCompleteLog: true } };
    const { lines, told } = await ask('ERP__pagar', args, rehearsal);
    expect(lines[0]).to.include({ status: 202, error: 'not made in a rehearsal' });
    expect([told.startsWith('Isto é um ensaio'), system.received]).to.deep.equal([true, []]);
    expect((await ask('ERP__boletos', args, rehearsal)).lines[0]).to.include({ status: 200 });
  });

  it('keeps the name of a function from a tool of an MCP server', async () => {
    const mcp = await startScriptedMcp();
    mcp.tools = [toolNamed('boletos')];
    await demo.make('saveMcpConfig', { avatarId: demo.avatarId, name: 'ERP', config: { url: mcp.url } });
    await save();
    expect((await ask()).told).to.equal('{"boletos": [7]}');
    expect(offered()).to.include.members(['ERP__boletos', 'ERP__boletos_2']);
    await mcp.close();
  });

  it('sends nothing to another address, wherever the system leads', async () => {
    const auth = { kind: 'header', name: 'X-Key', secret: CANARY };
    await save({ auth });
    system.script((_, response) => void response.writeHead(307, { location: `${other.url}/x` }).end());
    expect((await ask()).lines[0]).to.include({ status: 307, error: 'redirected to another address' });
    expect(other.received).to.deep.equal([]);
    system.script(({ path }, response) =>
      path === '/v2' ? void response.end('aqui') : void response.writeHead(302, { location: '/v2' }).end(),
    );
    expect((await ask()).told).to.equal('aqui');
    expect(system.received.at(-1)?.headers['x-key']).to.equal(CANARY);
  });

  it('says of each failure what it was, and goes on', async () => {
    const faults: [string, Parameters<typeof system.script>[0]][] = [
      ['answer too large', (_, response) => void response.end('x'.repeat(5 * 1_048_576))],
      ['answer too large', (_, response) => void response.end(`[${'1,'.repeat(60_000)}1]`)],
      [
        'answer too large',
        (_, response) => {
          const pour = () => {
            while (!response.destroyed && response.write('x'.repeat(65_536)));
          };
          response.on('drain', pour);
          pour();
        },
      ],
      ['no connection', (_, response) => void response.destroy()],
    ];
    await save();
    for (const [error, script] of faults) {
      system.script(script);
      const { lines, told } = await ask();
      expect(lines[0]).to.include({ status: 0, error });
      expect(told).to.include(error);
    }
    await save({ name: 'TLS', baseURL: system.url.replace('http:', 'https:') });
    expect((await ask('TLS__boletos')).lines[0]).to.include({ status: 0, error: 'no valid TLS' });
  });

  it('asks again where no answer came only for what reads, and only once', async () => {
    await save({ functions: [boletos, { ...boletos, name: 'pagar', method: 'POST', confirm: 'none' }] });
    let asked = 0;
    system.script((_, response) => {
      asked += 1;
      return asked === 1 ? void response.destroy() : void response.end('agora sim');
    });
    expect((await ask()).told).to.equal('agora sim');
    system.script((_, response) => void response.destroy());
    await ask('ERP__pagar');
    expect(system.received).to.have.length(3);
    await ask();
    expect(system.received).to.have.length(5);
  });

  it('ends a call that is slow before the turn has to end', async () => {
    system.script(() => undefined);
    const { toolId } = await save();
    const restTools = await withHost(service.db, demo.hostId, scope => listRestTools(scope));
    const rest = makeRest({ ...service.settings });
    const context = { signal: new AbortController().signal, remainingMs: 300 };
    const asked = {
      hostId: demo.hostId,
      hostSlug: '',
      mcpConfigs: [],
      restTools,
      maxTools: 9,
      conversationId: toolId,
    };
    const request = { ...asked, ...context, userName: '', masking: NO_MASKING };
    const [tool] = (await makeToolProvider([rest.list])(request)).tools;
    const result = await tool?.run({ cpf: '1' }, context);
    expect([result?.isTimedOut, result?.externalCalls?.[0]?.error]).to.deep.equal([
      true,
      'no answer in time',
    ]);
    await rest.close();
  });

  it('sends a system tokens in place of identifiers where the host masks them, unless it may have them', async () => {
    await setHost(service.db, 'demo', { mask: true });
    await save();
    await save({ name: 'Aberto', unmasked: true });
    const wanted = { cpf: '[CPF_1]' };
    const calling = [
      ['ERP__boletos', wanted],
      ['Aberto__boletos', wanted],
    ] as const;
    model.script(rounds(call(calling), say('Pronto.')));
    await service.ask('Meu CPF é 529.982.247-25.');
    await setHost(service.db, 'demo', { mask: false });
    const paths = ['/api/boletos/%5BCPF_1%5D', '/api/boletos/529.982.247-25'];
    expect(system.received.map(({ path }) => path)).to.have.members(paths);
  });

  it('leaves a secret that a system repeats in no prompt, receipt, answer or log', async () => {
    await save({ auth: { kind: 'basic', user: 'parley', secret: CANARY } });
    const basic = Buffer.from(`parley:${CANARY}`).toString('base64');
    for (const status of [200, 500]) {
      system.script((_, response) => void response.writeHead(status).end(`got ${CANARY} ${basic}`));
      const { data, told } = await ask();
      expect(told).to.include('got *** ***');
      const shown = JSON.stringify([data, model.requests]) + service.logged.join('');
      expect(shown).not.to.include(CANARY).and.not.include(basic);
    }
    expect(system.received[0]?.headers.authorization).to.equal(`Basic ${basic}`);
  });

  it('sends each of several secrets where it belongs, to its own origin only, and none comes back', async () => {
    const longer = `${CANARY}-longer`;
    await save({
      auth: [
        { kind: 'header', name: 'app_key', secret: CANARY },
        { kind: 'query', name: 'token', secret: longer },
        { kind: 'basic', user: 'parley', secret: 'basic-canary' },
      ],
    });
    const basic = Buffer.from('parley:basic-canary').toString('base64');
    system.script((_, response) => void response.end(`got ${longer} ${CANARY} ${basic}`));
    const { data, told } = await ask();
    expect(told).to.equal('got *** *** ***');
    expect(JSON.stringify([data, model.requests]) + service.logged.join('')).not.to.match(/canar(?:io|y)/);
    const [{ path, headers } = { path: '', headers: {} }] = system.received;
    expect(path).to.equal(`/api/boletos/1%2F2?ano=2026&token=${longer}`);
    expect(headers).to.include({ app_key: CANARY, authorization: `Basic ${basic}` });
    system.script((_, response) => void response.writeHead(307, { location: other.url }).end());
    await ask();
    expect(other.received).to.deep.equal([]);
  });

  it('calls no address of ours, should one be stored all the same', async () => {
    const strict = await borrowService();
    const { toolId } = await save({ baseURL: 'https://erp.example' }, strict.demo);
    const config = { baseURL: system.url, auth: { kind: 'none' } };
    await strict.db('rest_tools').where({ id: toolId }).update({ config });
    strict.model.script(rounds(call([['ERP__boletos', args]]), say('Pronto.')));
    const { data } = await strict.ask('Tenho boletos?');
    expect(data.restStatus.at(-1)).to.include({ name: 'rest:ERP:boletos', error: 'not allowed' });
    expect(system.received).to.deep.equal([]);
    await strict.close();
  });
});
