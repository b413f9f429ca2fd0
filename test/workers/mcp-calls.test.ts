import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { makeSeal } from '../../platform/seal.ts';
import { NO_MASKING } from '../../workers/domain/masking/masking.ts';
import { makeConnect } from '../../workers/tools/mcp/connection.ts';
import { serverSourceOf } from '../../workers/tools/mcp/mcp.ts';
import {
  type CachedToolList,
  makeServerClient,
  type ServerClient,
} from '../../workers/tools/mcp/server-client.ts';
import { makeToolProvider } from '../../workers/tools/outside-tools.ts';
import { callTool, toolboxOf } from '../../workers/turns/tools.ts';
import { eventually } from '../support/eventually.ts';
import { configOf, type ScriptedMcp, sayText, startScriptedMcp } from '../support/scripted-mcp.ts';

describe('a call of an MCP tool', () => {
  let mcp: ScriptedMcp;
  let server: ServerClient;
  const makeServer = () => {
    const owner = { hostId: randomUUID(), readSchema: async () => ({ type: 'object' as const }) };
    let listed: CachedToolList | undefined;
    const shelf = {
      get: () => listed,
      put: (list: CachedToolList) => void (listed = list),
      clear: () => void (listed = undefined),
    };
    const seal = makeSeal('the secret key of all these tests together', 'mcp header');
    const rules = { allowPrivate: true, stdioAllow: [] };
    return makeServerClient(configOf(mcp.url), makeConnect(seal, rules), shelf, owner);
  };
  beforeEach(async () => {
    mcp = await startScriptedMcp();
    server = makeServer();
  });
  afterEach(async () => {
    await server.close();
    await mcp.close();
  });

  const failureOf = (asked: Promise<unknown>) =>
    asked.then(
      () => undefined,
      (error: unknown) => error as Error,
    );
  const call = async (limits: Partial<Parameters<ServerClient['call']>[2]> = {}) => {
    const [tool] = (await server.tools()).tools;
    if (!tool) throw new Error('no tool');
    const signal = new AbortController().signal;
    return server.call(tool, { args: {}, meta: undefined }, { signal, timeoutMs: 5_000, ...limits });
  };
  const calls = () => mcp.seen.filter(({ method }) => method === 'tools/call').length;
  const cancelled = () =>
    eventually(() => mcp.seen.some(({ method }) => method === 'notifications/cancelled'), Boolean);

  it('takes no longer than it may, and its server is told', async () => {
    mcp.script(() => undefined);
    expect(await failureOf(call({ timeoutMs: 200 }))).to.be.instanceOf(Error);
    await cancelled();
    mcp.script(() => sayText('feito'));
    expect(await call()).to.deep.include(sayText('feito'));
  });

  it('is told by the turn where it takes too long, also while its server is being connected', async () => {
    const list = await server.tools();
    const { signal } = new AbortController();
    const request = {
      hostId: '',
      hostSlug: '',
      conversationId: '',
      userName: '',
      mcpConfigs: [],
      restTools: [],
      maxTools: 1,
    };
    const context = { signal, remainingMs: 300.2 };
    const listener = { beforeActing: async () => {}, onBug: () => {} };
    const callOnce = async () => {
      const offer = makeToolProvider([async () => [serverSourceOf(server, list)]]);
      const { tools } = await offer({ ...request, ...context, masking: NO_MASKING });
      const wanted = { id: '1', name: tools[0]?.name ?? '', arguments: '{}' };
      return callTool(toolboxOf(tools), wanted, { ...context, round: 1 }, listener);
    };
    const expectTold = async () => {
      const { externalCalls, run } = await callOnce();
      const [told, ...others] = externalCalls;
      expect([told?.error, run.status, others]).to.deep.equal(['no answer in time', 'timed out', []]);
      expect(told).to.include({ status: 0, error: 'no answer in time' });
    };
    mcp.script(() => undefined);
    await expectTold();
    await expectTold();
    const before = calls();
    await server.close();
    server = makeServer();
    mcp.script(() => undefined, ['initialize']);
    await expectTold();
    expect(calls()).to.equal(before);
    // Ends the connection that is being made.
    await mcp.close();
    mcp = await startScriptedMcp();
  });

  it('is cancelled with its turn, which costs others of the same server nothing', async () => {
    mcp.script(() => undefined);
    const turn = new AbortController();
    const pending = failureOf(call({ signal: turn.signal }));
    await eventually(calls, 1);
    mcp.script(() => sayText('feito'));
    const other = call();
    turn.abort(new Error('nobody waits'));
    expect(await pending).to.be.instanceOf(Error);
    await cancelled();
    expect((await other).content).to.deep.equal(sayText('feito').content);
    expect(mcp.seen.filter(({ method }) => method === 'initialize')).to.have.length(1);
  });

  it('is not made twice when nobody knows whether it was made', async () => {
    mcp.script((_, response) => void response.destroy());
    expect(await failureOf(call())).to.be.instanceOf(Error);
    expect(calls()).to.equal(1);
  });

  it('is made again when the tool says that it may be', async () => {
    mcp.tools = mcp.tools.map(tool => ({ ...tool, annotations: { readOnlyHint: true } }));
    let attempts = 0;
    mcp.script((_, response) => {
      attempts += 1;
      return attempts === 1 ? void response.destroy() : sayText('feito');
    });
    expect((await call()).content).to.deep.equal(sayText('feito').content);
    expect(calls()).to.equal(2);
  });

  it('under way ends before a server that is let go of is left', async () => {
    let release = () => {};
    const released = new Promise<void>(resolve => (release = resolve));
    mcp.script(async () => {
      await released;
      return sayText('feito');
    });
    const pending = call();
    await eventually(calls, 1);
    server.retire();
    release();
    expect((await pending).content).to.deep.equal(sayText('feito').content);
    await eventually(() => mcp.streams, 0);
  });
});
