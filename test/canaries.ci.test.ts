import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { startTracing } from '../platform/tracing.ts';
import { startTraceCollector, type TraceCollector } from './operations/trace-collector.ts';
import { makeAgent, makeAvatarWithFlow } from './support/avatar-with-flow.ts';
import { CRM } from './support/crm.ts';
import { eventually } from './support/eventually.ts';
import { hurryInsights, sayInsight, withInsights } from './support/insight-answers.ts';
import { openOnce } from './support/opened.ts';
import { textOfStore } from './support/queue-store.ts';
import { startReceiver } from './support/receiver.ts';
import {
  type McpScript,
  type ScriptedMcp,
  sayText,
  startScriptedMcp,
  toolNamed,
} from './support/scripted-mcp.ts';
import { call, type ModelScript, rounds, say } from './support/scripted-model.ts';
import { PUBLIC, type Service, startService } from './support/service.ts';

const SVC = `${PUBLIC}/svcReasoning`;
const OPS = 'what operators know';
const canary = {
  cpf: '111.444.777-35',
  phone: '+55 11 98877-6655',
  email: 'canario.zenobio@exemplo.test',
  secret: 'cabecalho-papagaioverde',
  token: `svc_${'C'.repeat(43)}zzzzzz`,
};
const everything = Object.values(canary).join(' ');
const traces = /111\.?444\.?777-?35|98877-?6655|canario\.zenobio|papagaioverde|C{43}/i;

const refuse =
  (status: number): ModelScript =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: `cannot digest ${everything}`, type: canary.email } }));
  };

describe('what people and their systems send in confidence', () => {
  let service: Service;
  let collector: TraceCollector;
  let tracing: { close(): Promise<void> };
  let mcpServer: ScriptedMcp;
  const system = openOnce(startReceiver);
  const shown: string[] = [];
  /** Output of libraries that bypasses our log. */
  const printed: unknown[] = [];
  const { console: usual } = globalThis;
  const heard = Object.fromEntries(
    ['log', 'info', 'debug', 'warn', 'error'].map(name => [
      name,
      (...said: unknown[]) => printed.push(...said),
    ]),
  );
  before(async () => {
    globalThis.console = { ...usual, ...heard };
    collector = await startTraceCollector();
    tracing = startTracing('test', collector.endpoint);
    mcpServer = await startScriptedMcp();
    const watched = { opsPassword: OPS, insightConcurrency: 4 };
    service = await startService({
      indexer: true,
      ...watched,
      requestTimeoutMs: 60_000,
      egressAllowPrivate: true,
    });
  });
  after(async () => {
    globalThis.console = usual;
    await service.close();
    await mcpServer.close();
    await tracing.close();
    await collector.close();
  });

  /** An error answer is checked, too. */
  const send = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const answer = await service.call(path, body, { headers });
    if (answer.status >= 400) shown.push(JSON.stringify(answer.body));
    return answer;
  };
  const userData = { name: everything, email: canary.email, phone: canary.phone, cpf: canary.cpf };
  const turn = async (more: Record<string, unknown> = {}) => {
    const conversationId = await service.newConversation();
    return send(SVC, {
      hostId: service.demo.hostId,
      conversationId,
      question: everything,
      userData,
      ...more,
    });
  };
  const deal = (more: object = {}) =>
    send(`${CRM}/deals`, {
      external_id: 77,
      dealname: everything,
      email: canary.email,
      cpf: canary.cpf,
      ...more,
    });
  const mcp = async (config: object) => {
    const { id: avatarId } = await service.db('avatars').where({ host_id: service.demo.hostId }).first();
    return send(`${SVC}/saveMCPConfigHelper`, { hostId: service.demo.hostId, avatarId, name: 'm', config });
  };
  /** All places that unauthorized readers may see. */
  const places = async () => {
    const headers = { authorization: `Basic ${Buffer.from(`ops:${OPS}`).toString('base64')}` };
    const look = async (path: string) =>
      JSON.stringify((await service.call(path, undefined, { headers, token: undefined })).body);
    const queues = ['turns', 'catalog', 'intake', 'search', 'reports'].map(name =>
      look(`/admin/queues/api/queues?activeQueue=${name}&status=completed`),
    );
    const { rows } = await service.db.raw(`select current_setting('parley.data_dir') as folder`);
    return {
      log: service.logged.join(''),
      printed: inspect(printed, { depth: 20 }),
      databaseLog: await readFile(join(rows[0].folder, 'postgres.log'), 'utf8'),
      store: await textOfStore(service.settings),
      metrics: await look('/metrics'),
      board: (await Promise.all(queues)).join(''),
      errors: shown.join('\n'),
      traces: collector.sent.join('\n'),
    };
  };
  const demandSilence = async () => {
    for (const [place, text] of Object.entries(await places()))
      expect(traces.exec(text)?.[0], `${place}: ${around(text)}`).to.equal(undefined);
  };

  it('is in no log, store, figure, board or error when all goes well', async () => {
    service.model.script(say(`Anotado: ${everything}`));
    expect((await turn()).status).to.equal(200);
    expect((await deal()).status).to.equal(200);
    const config = { url: 'https://mcp.example/mcp', headers: { Authorization: canary.secret } };
    expect((await mcp(config)).status).to.equal(200);
    for (const kind of ['fts', 'hybrid', 'unified'])
      expect((await send(`/search-index/search/${kind}`, { query: canary.email })).status).to.equal(200);
    expect((await send('/search-index/search/phone', { phone: canary.phone })).status).to.be.oneOf([
      200, 400,
    ]);
    await demandSilence();
    expect(service.logged.length).to.be.above(5);
  });

  it('nor when it is refused', async () => {
    expect((await turn({ question: [everything] })).status).to.equal(400);
    expect(
      (await turn({ [canary.email]: 1, userData: { name: { [canary.cpf]: canary.phone } } })).status,
    ).to.be.above(399);
    expect((await deal({ external_id: null, email: { x: canary.email } })).status).to.equal(400);
    expect((await mcp({ url: `ftp://127.0.0.1/${canary.secret}` })).status).to.equal(400);
    expect((await send(SVC, `{"question": "${everything}`)).status).to.equal(400);
    expect((await send('/search-index/search/phone', { phone: [everything] })).status).to.equal(400);
    const bearer = { authorization: `Bearer ${canary.token}` };
    expect((await send(SVC, { question: everything }, bearer)).status).to.equal(401);
    expect(
      (await send(`/nowhere/${canary.secret}?token=${canary.token}`, { a: everything })).status,
    ).to.equal(404);
    await demandSilence();
  });

  it('nor when the model or the database fails over it', async () => {
    service.model.script(refuse(500));
    expect((await turn()).status).to.equal(503);
    service.model.script(say(everything));
    // PostgreSQL quotes rejected values in its errors.
    await service.db.raw(`
      create function choke() returns trigger language plpgsql as $$
      begin perform coalesce(new.email, '')::integer; return new; end $$;
      create trigger choke before insert or update on contacts for each row execute function choke()`);
    const other = { ...userData, email: `2.${canary.email}`, phone: '' };
    expect((await turn({ userData: other })).status).to.be.oneOf([500, 503]);
    expect((await deal({ external_id: 78, email: `3.${canary.email}` })).status).to.be.oneOf([500, 503]);
    await service.db.raw('drop trigger choke on contacts');
    await demandSilence();
  });

  /** An avatar with an agent, and with an MCP server and a REST tool that have a secret. */
  const equipped = async () => {
    const { demo } = service;
    const agents = [await makeAgent(demo, `anota-${(made += 1)}`)];
    const { subSlug, avatarId } = await makeAvatarWithFlow(demo, [{ type: 'agent', agents }]);
    const config = { url: mcpServer.url, headers: { Authorization: `Bearer ${canary.secret}` } };
    const saved = { hostId: demo.hostId, avatarId, name: 's', config };
    expect((await send(`${SVC}/saveMCPConfigHelper`, saved)).status).to.equal(200);
    const called = { name: 'fazer', description: everything, method: 'GET', path: '/fazer' };
    const functions = [{ ...called, arguments: { properties: { texto: {} } } }];
    const auth = { kind: 'bearer', secret: canary.secret };
    const tool = { hostId: demo.hostId, avatarId, name: 'r', baseURL: system.url, functions, auth };
    expect((await send(`${SVC}/saveRestToolHelper`, tool)).status).to.equal(200);
    return { subSlug, agent: agents[0]?.agentName ?? '' };
  };
  let made = 0;

  it('nor when a turn runs agents with it, or servers of others have it in hand', async () => {
    const { subSlug, agent } = await equipped();
    mcpServer.tools = [toolNamed('fazer', { description: everything })];
    system.script((_, response) => {
      const status = [200, 404, 500][system.received.length % 3] ?? 200;
      if (system.received.length % 4 === 3) response.destroy();
      else response.writeHead(status).end(`${everything} Bearer ${canary.secret}`);
    });
    const servers: Record<string, McpScript> = {
      'gives it back': () => sayText(everything),
      'says that it failed': () => ({ ...sayText(everything), isError: true }),
      'reports an error': ({ id }, response) => {
        const error = { code: -32_000, message: everything, data: { email: canary.email } };
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, error }));
      },
      'answers what nobody can read': () => ({ content: { [canary.email]: everything } }),
      'fails over it': (_, response) => void response.writeHead(500).end(everything),
      'speaks no JSON': (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(`{"${everything}`);
      },
      'hangs up': (_, response) => void response.destroy(),
    };
    const wanted: ModelScript[] = [
      call([[agent, { curso: everything }]]),
      call([[agent, { curso: 7, [canary.email]: everything }]]),
      call([[agent, `{"curso": "${everything}`]]),
      call([[canary.email, { [canary.cpf]: 1 }]]),
      call([['open_ticket', { subject: everything, description: everything }]]),
    ];
    for (const script of wanted) {
      service.model.script(withInsights(sayInsight(), rounds(script, say(everything))));
      expect((await turn({ subSlug })).status).to.equal(200);
    }
    for (const [what, script] of Object.entries(servers)) {
      mcpServer.script(script);
      const wanted = { texto: everything };
      const calling = call([
        ['s__fazer', wanted],
        ['r__fazer', wanted],
      ]);
      service.model.script(withInsights(sayInsight(), rounds(calling, say(everything))));
      expect((await turn({ subSlug })).status, what).to.equal(200);
    }
    const called = mcpServer.seen.filter(({ method }) => method === 'tools/call');
    expect(called.length).to.be.at.least(Object.keys(servers).length);
    expect(called[0]?.headers.authorization).to.equal(`Bearer ${canary.secret}`);
    expect(system.received.length).to.be.at.least(Object.keys(servers).length);
    expect(system.received[0]?.headers.authorization).to.equal(`Bearer ${canary.secret}`);
    service.model.script(rounds(call([[agent, { curso: everything }]]), refuse(400)));
    expect((await turn({ subSlug })).status).to.equal(503);
    await demandSilence();
  });

  it('nor when a model makes something of it that is of no use', async () => {
    const useless = { [canary.email]: everything, categories: everything };
    const insights = [sayInsight(useless), say(`{"${everything}`), refuse(400)];
    for (const script of insights) {
      // A failed insight pauses its host.
      await service.db('insight_pauses').delete();
      service.model.script(withInsights(script, say(everything)));
      const answer = await turn();
      expect(answer.status).to.equal(200);
      const { conversationId } = answer.body.data;
      await hurryInsights(service, conversationId);
      const first = () => service.db('conversations').where({ id: conversationId }).first();
      await eventually(first, ({ insight_by }) => insight_by !== 'none');
    }
    const agent = {
      agentName: 'a',
      frontSchema: { type: 'object', properties: { curso: { type: 'string' } } },
    };
    for (const text of [JSON.stringify({ curso: 7, [canary.email]: everything }), everything]) {
      service.model.script(say(text));
      const asked = await send(`${SVC}/generateAgentHelper`, { agent, instructions: everything });
      expect(asked.status).to.equal(503);
    }
    await demandSilence();
    for (const event of ['turn.no_answer', 'insight.answer_failed'])
      expect(service.logged.filter(line => line.includes(event))).to.have.length(1);
  });

  it('nor in a trace, of which all of this left many', async () => {
    await eventually(
      () => collector.sent.join(''),
      sent => ['work reason', 'chat scripted', 'work receiveDeal'].every(name => sent.includes(`"${name}"`)),
    );
    await demandSilence();
  });

  it('and each line of a request has its id, of a worker its job’s too', async () => {
    const lines = service.logged.map(line => JSON.parse(line) as Record<string, unknown>);
    const bugs = lines.filter(({ msg }) => msg === 'a handler threw an unexpected error');
    expect(bugs.length).to.be.above(0);
    for (const { requestId, jobId, operation } of bugs) {
      expect([requestId, jobId, operation].map(value => typeof value)).to.deep.equal([
        'string',
        'string',
        'string',
      ]);
      await eventually(
        () => lines.filter(line => line['msg'] === 'request finished' && line['requestId'] === requestId),
        seen => seen.length === 1,
      );
    }
    for (const line of lines.filter(({ msg }) => msg === 'request finished'))
      expect(line['requestId']).to.be.a('string');
  });
});

function around(text: string): string {
  const at = traces.exec(text)?.index ?? 0;
  return text.slice(Math.max(0, at - 200), at + 100);
}
