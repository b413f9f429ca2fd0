import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect } from 'chai';
import { pino } from 'pino';
import { makeSeal } from '../../platform/seal.ts';
import { callErrorOf } from '../../workers/tools/mcp/call-error.ts';
import { type Connect, type ConnectionOwner, makeConnect } from '../../workers/tools/mcp/connection.ts';
import type { ServerClient } from '../../workers/tools/mcp/server-client.ts';
import { makeServerClients, type ServerClients } from '../../workers/tools/mcp/server-clients.ts';
import { eventually } from '../support/eventually.ts';
import { configOf, type ScriptedMcp, sayText, startScriptedMcp, toolNamed } from '../support/scripted-mcp.ts';

const fields = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, { type: 'string' }]));
const withSchema = (name: string, more: Record<string, unknown>) =>
  toolNamed(name, { inputSchema: { type: 'object', ...more } });
const nested = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`) as unknown;

const DONE = [{ type: 'text', text: 'feito' }];
const EVENTS = { 'content-type': 'text/event-stream' };
const JSON_BODY = { 'content-type': 'application/json' };
const hello = (more: object) => ({
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 's', version: '1' },
  ...more,
});
const sendEvents = (response: ServerResponse, events: readonly object[]) => {
  response.writeHead(200, EVENTS).end(events.map(event => `data: ${JSON.stringify(event)}\n\n`).join(''));
};

describe('an MCP server that says more than anybody needs', () => {
  const hostId = randomUUID();
  let mcp: ScriptedMcp;
  let servers: ServerClients;
  let server: ServerClient;
  let events: ConnectionOwner | undefined;
  beforeEach(async () => {
    mcp = await startScriptedMcp();
    const seal = makeSeal('the secret key of all these tests together', 'mcp header');
    const connect = makeConnect(seal, { allowPrivate: true, stdioAllow: [] });
    const listening: Connect = (config, given) => connect(config, (events = given));
    servers = makeServerClients(listening, pino({ level: 'silent' }));
    server = servers.serverOf(hostId, configOf(mcp.url));
  });
  afterEach(async () => {
    await servers.close();
    await mcp.close();
  });

  const listings = () => mcp.seen.filter(({ method }) => method === 'tools/list').length;
  const names = async () => (await server.tools()).tools.map(({ name }) => name);
  const signal = new AbortController().signal;
  const call = async () => {
    const [tool] = (await server.tools()).tools;
    if (!tool) throw new Error('no tool');
    return server.call(tool, { args: {}, meta: undefined }, { signal, timeoutMs: 5_000 });
  };
  const faultOf = (failing: Promise<unknown>) => failing.then(() => 'answered', callErrorOf);
  const paged = (
    toolsOf: (page: number) => unknown[],
    cursorOf = (page: number): unknown => String(page),
  ) => {
    let page = 0;
    mcp.script(() => {
      page += 1;
      return { tools: toolsOf(page), nextCursor: cursorOf(page) };
    }, ['tools/list']);
  };

  it('is asked for no more pages once there are as many tools as can be offered', async () => {
    paged(page => Array.from({ length: 250 }, (_, at) => toolNamed(`t${page}_${at}`)));
    const list = await server.tools();
    expect([list.tools.length, list.listedCount, listings()]).to.deep.equal([100, 250, 1]);
  });

  it('is asked for no more pages once its schemas are as large as a model reads', async () => {
    const large = { properties: { a: { type: 'string', description: 'x'.repeat(14_000) } } };
    paged(page => Array.from({ length: 250 }, (_, at) => withSchema(`t${page}_${at}`, large)));
    const list = await server.tools();
    expect(list.tools.length).to.be.within(20, 99);
    expect([list.bytes < 2_100_000, listings()]).to.deep.equal([true, 1]);
  });

  it('is read to its end where a page names itself as the next, and never for ever', async () => {
    paged(
      () => [toolNamed('t')],
      () => 'same',
    );
    await server.tools();
    expect(listings()).to.equal(2);
    const endless = servers.serverOf(hostId, configOf(mcp.url));
    paged(page => [toolNamed(`t${page}`)]);
    expect((await endless.tools()).tools).to.have.length(8);
    expect(listings()).to.equal(10);
  });

  it('may say null for whatever it leaves out: in its capabilities, its tools and its results', async () => {
    mcp.script(
      ({ method }) => {
        if (method === 'initialize')
          return hello({
            capabilities: { tools: { listChanged: null }, prompts: null, logging: null },
            serverInfo: { name: 's', version: '1', title: null },
            instructions: null,
            _meta: null,
          });
        return method === 'tools/list'
          ? { tools: mcp.tools, nextCursor: null, _meta: null }
          : { content: 'feito', structuredContent: null, isError: null, _meta: null };
      },
      ['initialize', 'tools/list', 'tools/call'],
    );
    const inputSchema = {
      properties: {
        texto: { type: ['string', 'null'], default: null, enum: ['a', null], description: null },
        curso: { type: 'string', enum: null, examples: null, items: null },
      },
      type: null,
      required: null,
    };
    mcp.tools = [toolNamed('fazer', { inputSchema, annotations: null, title: null })];
    const { tools } = await server.tools();
    expect(tools.map(tool => tool.inputSchema)).to.deep.equal([
      {
        type: 'object',
        properties: {
          texto: { type: ['string', 'null'], default: null, enum: ['a', null] },
          curso: { type: 'string' },
        },
      },
    ]);
    expect(await call()).to.deep.include({ content: [{ type: 'text', text: 'feito' }] });
  });

  it('may say null in an event, wherever it is cut into pieces', async () => {
    const result = { ...sayText('O que diz "_meta": null?'), _meta: null };
    mcp.script(({ id }, response) => {
      const event = `data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`;
      response.writeHead(200, EVENTS).flushHeaders();
      void pipeline(Readable.from(event.match(/[^]{1,3}/g) ?? []), response);
    });
    expect(await call()).to.deep.include(sayText('O que diz "_meta": null?'));
  });

  it('has its other tools offered beside those that are no tools or too large', async () => {
    mcp.tools = [
      toolNamed('x'.repeat(1_048_576)),
      toolNamed('deep', { inputSchema: { type: 'object', properties: nested(1_000) } }),
      withSchema('wide', { properties: fields(3_000) }),
      withSchema('remote', { properties: { a: { $ref: 'https://x.example/schema' } } }),
      withSchema('lost', { properties: { a: { $ref: '#/$defs/none' } } }),
      withSchema('cyclic', { properties: { a: { $ref: '#/properties/b' }, b: { $ref: '#/properties/a' } } }),
      withSchema('pattern', { properties: { a: { type: 'string', pattern: '(' } } }),
      toolNamed('good', { description: 'x'.repeat(1_048_576) }),
    ];
    const list = await server.tools();
    expect(list.tools.map(({ name }) => name)).to.deep.equal(['remote', 'lost', 'cyclic', 'pattern', 'good']);
    expect(list.refused).to.deep.equal([`${'x'.repeat(63)}…`, 'deep', 'wide']);
    expect([list.tools[4]?.description.length, list.listedCount]).to.deep.equal([4_000, 8]);
  });

  it('has a result of any number of items told as one text of bounded length', async () => {
    const items = (item: unknown, count: number) => ({ content: Array.from({ length: count }, () => item) });
    const results = [
      items({}, 20_000),
      items(1, 20_000),
      items({ type: 'text', text: 'abc' }, 10_000),
      { content: [{ type: 'text', text: 'x'.repeat(3_000_000) }] },
      { content: [], structuredContent: { rows: Array(20_000).fill(1) } },
    ];
    const told: number[] = [];
    for (const result of results) {
      mcp.script(() => result);
      const { content } = await call();
      expect(content.length).to.be.lessThan(2);
      told.push(content.reduce((sum, item) => sum + ('text' in item ? item.text.length : 0), 0));
    }
    expect(told).to.deep.equal([0, 40_000, 40_000, 40_000, 40_000]);
  });

  it('has whatever it answers with told, in the form of the protocol or not', async () => {
    const results: readonly (readonly [result: object, told: string])[] = [
      [{ content: [{ type: 'text', text: 42 }] }, '42'],
      [{ content: [{ text: false }] }, 'false'],
      [{ content: [{ type: 'text', text: { valor: 42 } }] }, '{"valor":42}'],
      [{ content: [{ type: 'text', content: 'feito' }] }, 'feito'],
      [{ content: [{ type: 'json', json: { valor: 42 } }] }, '{"valor":42}'],
      [{ content: [{ type: 'data', valor: 42, moeda: 'BRL' }] }, '{"valor":42,"moeda":"BRL"}'],
      [{ content: [{ type: 'resource', resource: { uri: 'a:b', text: 42 } }] }, '42'],
      [{ content: [{ valor: 42 }] }, '42'],
      [{ content: [42, true, ['a']] }, '42\n\ntrue\n\n["a"]'],
      [{ content: 42 }, '42'],
      [{ content: [], structuredContent: 42 }, '42'],
      [{ content: 'Veja os dados', structuredContent: { valor: 850.5 } }, 'Veja os dados\n\n{"valor":850.5}'],
      [{ content: 'São "2"', structuredContent: { result: 'São "2"' } }, 'São "2"'],
      [{ toolResult: { valor: 42 } }, '{"valor":42}'],
      [{ toolResult: { rows: Array(5_000).fill(1) } }, JSON.stringify({ rows: Array(5_000).fill(1) })],
      [{ content: [], result: 'feito', isError: false, _meta: { a: 1 } }, 'feito'],
      [{ valor: 42, moeda: 'BRL' }, '{"valor":42,"moeda":"BRL"}'],
    ];
    for (const [result, told] of results) {
      mcp.script(() => result);
      expect((await call()).content, JSON.stringify(result).slice(0, 80)).to.deep.equal(
        sayText(told).content,
      );
    }
  });

  it('tells nothing of a deep result, and refuses one that is deep elsewhere', async () => {
    const deep = `${'['.repeat(1_900)}${']'.repeat(1_900)}`;
    const saying = (result: string) =>
      mcp.script(({ id }, response) => {
        response.writeHead(200, JSON_BODY);
        response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`);
      });
    saying(`{"content":[{"type":"text","text":${deep}}],"structuredContent":{"a":${deep}}}`);
    expect((await call()).content).to.deep.equal([]);
    saying(`{"content":[],"_meta":{"a":${deep}}}`);
    expect(await faultOf(call())).to.not.equal('answered');
  });

  it('fails the one call whose answer is too large, with the reason, and goes on with the next', async () => {
    const large = [
      { content: Array(100_000).fill(1) },
      { content: [{ type: 'text', text: 'x'.repeat(5_000_000) }] },
    ];
    for (const result of large) {
      mcp.script(() => result);
      expect(await faultOf(call())).to.deep.equal({ status: 0, error: 'answer too large' });
    }
    mcp.script(() => ({ content: DONE }));
    expect((await call()).content).to.deep.equal(DONE);
    expect(mcp.seen.filter(({ method }) => method === 'initialize')).to.have.length(1);
  });

  const notified = () => ({
    jsonrpc: '2.0',
    method: 'notifications/message',
    params: { level: 'info', data: 'x' },
  });
  const flood = async (response: ServerResponse, { isPrimed = false } = {}) => {
    response.writeHead(200, EVENTS);
    if (isPrimed) response.write('id: 1\ndata: \n\n');
    let sent = 0;
    function* events() {
      for (; sent < 100_000; sent += 100) yield `data: ${JSON.stringify(notified())}\n\n`.repeat(100);
    }
    await pipeline(Readable.from(events()), response).catch(() => undefined);
    return sent;
  };

  it('fails a call that is answered with endless messages, hears no more of it, and goes on with the next', async () => {
    for (const isPrimed of [false, true]) {
      let sent: Promise<number> | undefined;
      mcp.script((_, response) => void (sent = flood(response, { isPrimed })));
      expect(await faultOf(call())).to.deep.equal({ status: 0, error: 'answer too large' });
      expect(await sent).to.be.lessThan(100_000);
    }
    mcp.script((_, response) => {
      response.writeHead(200, JSON_BODY).end(JSON.stringify(Array.from({ length: 2_000 }, notified)));
    });
    expect(await faultOf(call())).to.deep.equal({ status: 0, error: 'answer too large' });
    mcp.script(({ id }, response) => {
      response.writeHead(200, EVENTS);
      const result = { content: DONE };
      const events = [...Array.from({ length: 250 }, notified), { jsonrpc: '2.0', id, result }];
      response.end(events.map(event => `event: message\r\ndata: ${JSON.stringify(event)}\r\n\r\n`).join(''));
    });
    expect((await call()).content).to.deep.equal(DONE);
    expect(mcp.seen.filter(({ method }) => method === 'initialize')).to.have.length(1);
  });

  it('is not listened to any more where it floods the stream that is kept open, and answers calls all the same', async () => {
    await names();
    await eventually(() => mcp.streams, 1);
    for (let told = 0; told < 20_000; told += 1) mcp.notify('notifications/message');
    await eventually(() => mcp.streams, 0);
    expect((await call()).content).to.deep.equal(DONE);
  });

  it('is answered now and then where it asks for something, and its other requests are dropped', async () => {
    mcp.script(({ id }, response) => {
      const requests = Array.from({ length: 250 }, (_, at) => ({
        jsonrpc: '2.0',
        id: `q${at}`,
        method: at % 2 ? 'ping' : 'sampling/createMessage',
        params: {},
      }));
      sendEvents(response, [...requests, { jsonrpc: '2.0', id, result: { content: DONE } }]);
    });
    expect((await call()).content).to.deep.equal(DONE);
    const answers = () => mcp.seen.filter(({ method }) => method === undefined).length;
    await eventually(answers, seen => seen > 0);
    expect((await call()).content).to.deep.equal(DONE);
    expect(answers()).to.be.at.most(25);
  });

  it('fails a call that is answered with a large event, or with many lines that are no message', async () => {
    const lines = ['a\n', 'data:\n', ':\n', '\r'].map(line => line.repeat(200_000));
    for (const text of [...lines, `data: "${'x'.repeat(5_000_000)}"\n\n`]) {
      mcp.script((_, response) => void response.writeHead(200, EVENTS).end(text));
      const fault = await faultOf(call());
      expect(fault, text.slice(0, 8)).to.deep.equal({ status: 0, error: 'answer too large' });
    }
  });

  it('fails a call that is answered in very small chunks, or with heads without end', async () => {
    mcp.script(async (_, response) => {
      response.writeHead(200, JSON_BODY);
      for (let at = 0; at < 50_000 && !response.destroyed; at += 1) {
        response.write(' ');
        if (at % 1_000 === 0) await new Promise(setImmediate);
      }
      response.end('{}');
    });
    expect(await faultOf(call())).to.not.equal('answered');
    mcp.script((_, response) => {
      for (let at = 0; at < 20; at += 1) response.writeEarlyHints({ link: '</a>; rel=preload' });
      response.writeHead(200, JSON_BODY).end('{}');
    });
    expect(await faultOf(call())).to.not.equal('answered');
    mcp.script(({ id }, response) => {
      response.writeEarlyHints({ link: '</a>; rel=preload' });
      const result = { content: DONE };
      response.writeHead(200, JSON_BODY).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
    expect((await call()).content).to.deep.equal(DONE);
  });

  it('has no more schemas read than twice the tools that can be offered', async () => {
    const wrong = { type: 'array' };
    paged(page => Array.from({ length: 250 }, (_, at) => withSchema(`t${page}_${at}`, wrong)));
    const list = await server.tools();
    expect([list.tools.length, list.listedCount, listings()]).to.deep.equal([0, 250, 1]);
  });

  it('is let in with instructions of a megabyte, which nobody keeps, and not with capabilities of that size', async () => {
    const saying = (more: object) =>
      mcp.script(
        ({ method }) => (method === 'initialize' ? hello(more) : { tools: mcp.tools }),
        ['initialize', 'tools/list'],
      );
    saying({ instructions: 'x'.repeat(1_048_576) });
    expect(await names()).to.deep.equal(['fazer']);
    saying({
      capabilities: {
        tools: {},
        experimental: Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [at, {}])),
      },
    });
    const other = servers.serverOf(hostId, configOf(mcp.url));
    expect(await faultOf(other.tools())).to.not.equal('answered');
  });

  it('is listed anew only now and then, however often it says that its tools have changed', async () => {
    await names();
    const listed = listings();
    for (let told = 0; told < 20; told += 1) {
      events?.onToolsChanged();
      await eventually(() => server.waitedMs(), 0);
    }
    expect(listings()).to.be.within(listed + 1, listed + 5);
  });
});
