import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import getPort from 'get-port';
import { pino } from 'pino';
import { insertAvatar } from '../db/assistants/avatars.ts';
import { listMcpConfigs, upsertMcpConfig } from '../db/assistants/mcp-configs.ts';
import { insertConversation } from '../db/conversations/conversations.ts';
import { withHost } from '../db/with-hosts.ts';
import { makeOutageLog } from '../platform/outage-log.ts';
import { startStopwatch } from '../platform/stopwatch.ts';
import { noLedger } from '../test/support/no-ledger.ts';
import { NO_MASKING } from '../workers/domain/masking/masking.ts';
import { makeHandlers } from '../workers/handlers.ts';
import { makeModels } from '../workers/model/models.ts';
import { makeJobHandler } from '../workers/runtime/job-handler.ts';
import { makeMcp } from '../workers/tools/mcp/mcp.ts';
import { makeHost, SECRET_KEY, startDatabase } from './database.bench.ts';
import { startFixedModel } from './fixed-model.bench.ts';
import { atOnce } from './stores.bench.ts';

/*
 * The cost of our MCP client. A warm call of a tool of the reference server, compared with the same call by the bare
 * client; and a turn of an avatar with ten servers compared with one without any, all warm, from the job to the
 * committed answer, with a model that answers at once. Both pairs alternate in one run.
 */

const { values } = parseArgs({
  options: { calls: { type: 'string', default: '1000' }, turns: { type: 'string', default: '200' } },
});
const log = pino({ level: 'warn' });

const everything = await startEverything();
const model = await startFixedModel({ answer: 'A secretaria atende de segunda a sexta.' });
const { db, ...database } = await startDatabase();
const hostId = await makeHost(db);
const avatars = {
  none: await avatarWith('none', 0),
  one: await avatarWith('one', 1),
  ten: await avatarWith('ten', 10),
};

await compareCalls(Number(values.calls));
await compareTurns(Number(values.turns));

await database.stop();
model.close();
everything.kill();

async function compareCalls(count: number): Promise<void> {
  const bare = new Client({ name: 'bench', version: '1.0.0' });
  await bare.connect(new StreamableHTTPClientTransport(new URL(everything.url)));
  const mcp = makeMcp({ secretKey: SECRET_KEY, egressAllowPrivate: true }, log);
  const signal = new AbortController().signal;
  const masking = NO_MASKING;
  const conversationId = randomUUID();
  const mcpConfigs = await withHost(db, hostId, scope => listMcpConfigs(scope, avatars.one));
  const host = { hostId, hostSlug: 'bench', mcpConfigs, maxTools: 100 };
  const request = { ...host, conversationId, userName: '', masking, signal };
  const tools = await untilOffered(() => mcp.tools({ ...request, remainingMs: 10_000 }), 1);
  const echo = tools.find(({ name }) => name.endsWith('__echo'));
  const args = { message: 'olá' };
  const context = { signal, remainingMs: 10_000, requestedBy: { stopwatch: startStopwatch(), tokens: 0 } };
  const asks = {
    bare: async () => void (await bare.callTool({ name: 'echo', arguments: args })),
    ours: async () => void (await echo?.run(args, context)),
  };
  const figures = await inTurns(asks, count);
  print(`${count} warm calls of a tool`, figures, ['bare', 'ours']);
  await bare.close();
  await mcp.close();
}

async function compareTurns(count: number): Promise<void> {
  const settings = {
    secretKey: SECRET_KEY,
    egressAllowPrivate: true,
    openaiBaseUrl: model.baseURL,
    openaiModel: 'bench',
    insightConcurrency: 0,
  };
  const models = makeModels(settings, { onCall: () => {}, ledger: noLedger });
  const metrics = { onToolRun: () => {}, onAnswer: () => {}, onGap: () => {} };
  const pools = { turns: db, leases: db, spend: db, heavy: db, trials: db, hosts: db, owner: db };
  const { handlers, close } = makeHandlers(
    { pools, databaseUrl: database.url, log, metrics, onTaskFailed: () => {}, ...models },
    settings,
  );
  const handler = makeJobHandler(
    db,
    handlers,
    makeOutageLog(log, { event: 'database', name: 'the database' }),
  );
  const conversationId = await withHost(db, hostId, scope => insertConversation(scope));
  const ask = (subSlug: string) => async () => {
    const { code } = await handler.handle({
      operation: 'reason',
      jobId: `k${randomBytes(16).toString('hex')}`,
      queue: 'turns',
      requestId: 'bench',
      caller: { tokenId: randomUUID(), tokenName: 'bench', scopes: ['reason'], hostIds: [hostId] },
      body: { hostId, conversationId, question: 'Qual é o horário da secretaria?', subSlug },
      arrivedAt: Date.now(),
      deadline: Date.now() + 60_000,
      isRerun: false,
      bodyMac: undefined,
      signal: new AbortController().signal,
      remainingMs: () => 60_000,
      waitForCancellations: async () => {},
      lendSlot: () => () => {},
      notifyRequesterOf: async () => {},
      reportProgress: async () => {},
    });
    if (code !== 200) throw new Error(`a turn ended with ${code}`);
  };
  for (let warm = 0; warm < 6; warm += 1) await ask('ten')();
  const { tools = [] } = JSON.parse(model.last()) as { tools?: unknown[] };
  const figures = await inTurns({ none: ask('none'), ten: ask('ten') }, count);
  print(`${count} turns, without a server and with ten (${tools.length} functions offered)`, figures, [
    'none',
    'ten',
  ]);
  await close();
}

/** Alternates, so that both run under the same conditions. */
async function inTurns<N extends string>(asks: Record<N, () => Promise<void>>, count: number) {
  const times = Object.fromEntries(Object.keys(asks).map(name => [name, [] as number[]])) as Record<
    N,
    number[]
  >;
  const all = Object.entries(asks) as [N, () => Promise<void>][];
  for (let warm = 0; warm < count / 10; warm += 1) for (const [, ask] of all) await ask();
  await atOnce(count, 1, async () => {
    for (const [name, ask] of all) {
      const startedAt = performance.now();
      await ask();
      times[name].push(performance.now() - startedAt);
    }
  });
  return times;
}

function print<N extends string>(
  title: string,
  times: Record<N, number[]>,
  [peer, ours]: readonly [N, N],
): void {
  const at = (name: N, share: number) =>
    times[name].toSorted((a, b) => a - b)[Math.floor(times[name].length * share)] ?? NaN;
  console.log(title);
  for (const name of [peer, ours])
    console.log(
      `  ${name.padEnd(6)} p50 ${at(name, 0.5).toFixed(2)} ms  p99 ${at(name, 0.99).toFixed(2)} ms`,
    );
  const [more, ratio] = [at(ours, 0.5) - at(peer, 0.5), at(ours, 0.5) / at(peer, 0.5)];
  console.log(`  ratio  ${ratio.toFixed(2)} x at p50, which is ${more.toFixed(2)} ms more`);
}

async function avatarWith(subSlug: string, servers: number): Promise<string> {
  return withHost(db, hostId, async scope => {
    const avatarId =
      (await insertAvatar(scope, { sub_slug: subSlug, avatar_name: subSlug }))?.avatar_id ?? '';
    for (let at = 0; at < servers; at += 1) {
      await upsertMcpConfig(scope, {
        id: randomUUID(),
        avatarId,
        name: `servidor ${at}`,
        transportType: 'streamable',
        config: { url: everything.url },
        sealedHeaders: {},
        controlConv: true,
        version: '1.0.0',
        enabled: true,
        unmasked: false,
      });
    }
    return avatarId;
  });
}

async function untilOffered<T extends { readonly tools: readonly unknown[] }>(
  offer: () => Promise<T>,
  least: number,
): Promise<T['tools']> {
  for (;;) {
    const { tools } = await offer();
    if (tools.length >= least) return tools;
    await delay(100);
  }
}

async function startEverything() {
  const port = await getPort();
  const file = createRequire(import.meta.url).resolve(
    '@modelcontextprotocol/server-everything/dist/index.js',
  );
  const child = spawn(process.execPath, [file, 'streamableHttp'], {
    env: { PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await once(child.stderr, 'data');
  child.stderr.resume();
  return { url: `http://127.0.0.1:${port}/mcp`, kill: () => child.kill('SIGKILL') };
}
