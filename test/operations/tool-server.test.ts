import { randomUUID } from 'node:crypto';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect } from 'chai';
import { fieldError } from '../../platform/field-error.ts';
import { MAX_BODY_BYTES } from '../../queues/contract/body-limit.ts';
import type { TokenScope } from '../../queues/contract/operation.ts';
import { operationNames, operationOf } from '../../queues/contract/operations/index.ts';
import { expectWrong } from '../support/contract.ts';
import { leaveCallsOpen } from '../support/open-calls.ts';
import { openService, startService } from '../support/service.ts';

type Called = Awaited<ReturnType<Client['callTool']>>;

const headers = { accept: 'application/json, text/event-stream' };
const messageOf = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });
const list = messageOf('tools/list');

describe('a client of MCP', () => {
  const service = openService();
  const { demo, acme, model } = service;
  const clients: Client[] = [];
  const post = (message: unknown, query = '') => service.call(`/mcp${query}`, message, { headers });
  const connect = async (token: string, mode: 'legacy' | 'auto' = 'legacy', to = service) => {
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${to.baseURL}/mcp`), { requestInit }));
    clients.push(client);
    return client;
  };
  const connectWith = async (...scopes: TokenScope[]) =>
    connect(await service.makeToken({ hostIds: [demo.hostId], scopes }));
  const toolsOf = async (client: Client) => (await client.listTools()).tools;
  const namesOf = async (client: Client) => (await toolsOf(client)).map(({ name }) => name);
  after(async () => {
    for (const client of clients) await client.close();
  });

  for (const mode of ['legacy', 'auto'] as const)
    it(`has the operations of its token as tools, with their shapes and what they do (${mode})`, async () => {
      const client = await connect(demo.token, mode);
      const tools = await toolsOf(client);
      const objects = operationNames.filter(name => {
        const { isForOperators, body } = operationOf(name);
        return !isForOperators && body.type === 'object';
      });
      expect(tools.map(({ name }) => name)).to.have.members(objects);
      for (const { name, title, annotations } of tools) {
        const { summary, effect } = operationOf(name as (typeof operationNames)[number]);
        expect(title).to.equal(summary);
        const hints = { readOnlyHint: effect === 'reads', destructiveHint: effect === 'changes' };
        expect(annotations, name).to.deep.equal(hints);
      }
      const search = tools.find(({ name }) => name === 'searchPhone')?.inputSchema;
      expect(search)
        .to.include({ type: 'object' })
        .and.deep.include({ required: ['phone'] });
      expect(search?.properties?.['search_type']).to.deep.include({ enum: ['exact', 'suffix', 'partial'] });
      expect(client.getInstructions()).to.include(demo.hostId).and.not.include(acme.hostId);
    });

  it('is told only of what its scope allows, and a scope that reads has no tool that writes', async () => {
    for (const scope of ['search', 'report'] as const) {
      const tools = await toolsOf(await connectWith(scope));
      expect(tools.length).to.be.above(3);
      expect(tools.filter(({ annotations }) => !annotations?.readOnlyHint)).to.deep.equal([]);
    }
    const searching = await connectWith('search');
    expect(await namesOf(searching))
      .to.include('searchHybrid')
      .and.not.include('createDataset');
    expect(await namesOf(await connectWith('manage')))
      .to.include('createDataset')
      .and.not.include('reason');
    const args = { hostId: demo.hostId, datasetName: 'Não', avatarIds: [] };
    const refused = await searching.callTool({ name: 'createDataset', arguments: args });
    expect(errorIn(refused)).to.include({ code: 403 });
    expect(await namesOf(await connect(service.operatorToken))).to.include('listHosts');
  });

  it('sees the fifteen tools of a preset, where its address names one that there is', async () => {
    const { body } = await post(list, '?tools=manage-basic');
    const [, json] = /^data: (.*)$/m.exec(String(body)) ?? [];
    const { result } = json === undefined ? body : JSON.parse(json);
    expect(result.tools).to.have.length(15);
    expect(JSON.stringify(result.tools).length).to.be.below(45_000);
    expectWrong(await post(list, '?tools=some'), 'tools');
  });

  it('gets from a search and a report what HTTP answers', async () => {
    const client = await connectWith('search', 'report');
    const query = { query: 'matrícula', limit: 5 };
    const found = dataIn(await client.callTool({ name: 'searchFulltext', arguments: query }));
    const { body } = await demo.call('searchFulltext', query);
    expect({ ...found, took_ms: 0 }).to.deep.equal({ ...body, took_ms: 0 });
    await service.ask('Qual é o horário?');
    const asked = { hostId: demo.hostId, startDate: '2026-01-01', endDate: '2026-12-31' };
    const report = dataIn(await client.callTool({ name: 'conversationalStats', arguments: asked }));
    const over = await demo.call('conversationalStats', asked);
    expect(report).to.deep.equal(over.body.data);
  });

  it('asks the assistant, and writes what its token may write', async () => {
    model.say('Das 8h às 21h.');
    const client = await connect(demo.token, 'auto');
    const { hostId, slug: hostSlug } = demo;
    const call = async (name: string, more: object) =>
      dataIn(await client.callTool({ name, arguments: { hostId, ...more } }));
    const { conversationId } = await call('createConversation', { hostSlug });
    const turn = await call('reason', { conversationId, question: 'Qual é o horário?' });
    expect(turn['assistantResponse'].string).to.equal('Das 8h às 21h.');
    const dataset = await call('createDataset', { datasetName: 'Guia', avatarIds: [] });
    const guide = { name: 'horario.md', content: '# Horário', content_type: 'text/markdown' };
    const imported = await call('importDocument', { dataset_id: dataset['id'], ...guide });
    expect(imported).to.have.property('documentId');
    const { body } = await demo.call('listAudit', { hostId });
    expect(JSON.stringify(body)).to.include(dataset['id']);
  });

  it('may spell an argument in its own way, and is told which ones no tool has', async () => {
    const client = await connectWith('manage');
    const args = { host_id: demo.hostId, dataset_name: 'Guia', Avatar_Ids: [], datasetColor: 'x' };
    const { content } = await client.callTool({ name: 'createDataset', arguments: args });
    const texts = content.map(part => (part.type === 'text' ? part.text : ''));
    expect(JSON.parse(texts[0] ?? '')).to.include({ dataset_name: 'Guia' });
    expect(texts.slice(1)).to.deep.equal(['Ignored, because the tool has no such arguments: datasetColor.']);
  });

  it('is told which field is wrong, and cannot tell the id of another host from no id', async () => {
    const client = await connect(demo.token);
    const call = (name: string, sent: object) => client.callTool({ name, arguments: { ...sent } });
    const { hostId } = demo;
    const { code: status, data } = errorIn(await call('searchFulltext', { query: 'a', limit: 1_000 }));
    const field = fieldError('limit', 'max', { limit: 100, message: 'must be a whole number from 1 to 100' });
    expect([status, data.fields]).to.deep.equal([400, [field]]);
    const theirs = await acme.make('createDataset', { avatarIds: [] });
    const rename = async (id: string) => {
      const { code, message } = errorIn(await call('editDataset', { id, hostId, datasetName: 'Meu' }));
      return { code, message };
    };
    expect(await rename(theirs.id)).to.deep.equal(await rename(randomUUID()));
    expect(errorIn(await call('listDatasets', { hostId: acme.hostId }))).to.include({ code: 403 });
    const none = await call('dropAll', {}).catch((error: Error) => error.message);
    expect(none).to.match(/Unknown tool: dropAll/);
  });

  it('may say null for arguments and other parts of a call that it leaves out', async () => {
    const params = { name: 'listModels', arguments: null, _meta: null };
    const { status, body } = await post(messageOf('tools/call', params));
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(JSON.stringify(body)).to.not.match(/-326\d\d\b/);
  });

  it('is refused without a token, with several messages at once, and with too long a body', async () => {
    const none = await service.call('/mcp', list, { token: undefined, headers });
    expect([none.status, none.headers.get('www-authenticate')]).to.deep.equal([401, 'Bearer']);
    expect((await post([list, list])).status).to.equal(400);
    expect((await post({ ...list, more: 'a'.repeat(MAX_BODY_BYTES) })).status).to.equal(413);
    expect((await service.call('/mcp')).status).to.equal(405);
  });

  it('stops the turn when it gives up', async () => {
    const calls = leaveCallsOpen(model);
    const client = await connect(demo.token);
    const abort = new AbortController();
    const sent = { hostId: demo.hostId, conversationId: await service.newConversation(), question: 'Oi?' };
    const turn = client.callTool({ name: 'reason', arguments: sent }, { signal: abort.signal });
    const pending = turn.catch((error: Error) => error.name);
    const open = await calls.nth(0);
    await client.close();
    abort.abort();
    await pending;
    await open.aborted;
  });

  it('has the limit of requests of its token', async () => {
    const limited = await startService({ rateLimitPerMinute: 4, workers: false });
    try {
      // Connecting takes two requests.
      const client = await connect(limited.demo.token, 'legacy', limited);
      await client.listTools();
      await client.listTools();
      const error = await client.listTools().catch((refused: Error) => refused.message);
      expect(error).to.match(/429|Too many/i);
    } finally {
      await limited.close();
    }
  });
});

// oxlint-disable-next-line typescript/no-explicit-any
function dataIn(called: Called): Record<string, any> {
  expect(called.isError, JSON.stringify(called.content)).to.not.equal(true);
  return JSON.parse(textIn(called));
}

function errorIn(called: Called) {
  expect(called.isError).to.equal(true);
  return JSON.parse(textIn(called)) as {
    code: number;
    message: string;
    data: { fields?: { path: string; message: string }[] };
  };
}

function textIn({ content }: Called): string {
  const [part] = content as { type: string; text: string }[];
  return part?.text ?? '';
}
