import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { pino } from 'pino';
import { insertAvatar } from '../db/avatars.ts';
import { connect } from '../db/connection.ts';
import { insertConversation } from '../db/conversations.ts';
import { ensureDatabase, startEmbedded } from '../db/embedded.ts';
import { createHost } from '../db/hosts.ts';
import { putMcpConfig } from '../db/mcp-configs.ts';
import { migrate } from '../db/migrate.ts';
import { withHost } from '../db/with-hosts.ts';
import { makeAnswerer } from '../workers/answer.ts';
import { makeHandlers } from '../workers/handlers.ts';
import { makeMcp } from '../workers/mcp/mcp.ts';
import { makeModels } from '../workers/model/models.ts';
import { atOnce, freePort, makeFolder } from './stores.ts';

/*
 * What our way to MCP servers costs. One warm call of a tool of the protocol's reference server through us, beside the
 * same call by the bare client; and a turn of an avatar with ten servers beside one without any, all warm, from the
 * job to the committed answer, with a model that answers at once. Both pairs take turns in one run.
 */

const { values } = parseArgs({
  options: { calls: { type: 'string', default: '1000' }, turns: { type: 'string', default: '200' } },
});
const secretKey = randomBytes(32).toString('hex');
const log = pino({ level: 'warn' });

const everything = await startEverything();
const model = await startModel();
const folder = await makeFolder();
const server = await startEmbedded(folder.path);
const databaseUrl = await ensureDatabase(server.url, 'bench');
const db = connect(databaseUrl);
await migrate(db);
const host = await createHost(db, { slug: 'bench', name: 'Bench' });
const hostId = host?.id ?? '';
const avatars = {
  none: await avatarWith('none', 0),
  one: await avatarWith('one', 1),
  ten: await avatarWith('ten', 10),
};

await compareCalls(Number(values.calls));
await compareTurns(Number(values.turns));

await db.destroy();
await server.stop();
await folder.remove();
model.close();
everything.kill();

async function compareCalls(count: number): Promise<void> {
  const bare = new Client({ name: 'bench', version: '1.0.0' });
  await bare.connect(new StreamableHTTPClientTransport(new URL(everything.url)));
  const mcp = makeMcp(db, { secretKey, egressAllowPrivate: true }, log);
  const signal = new AbortController().signal;
  const request = { hostId, avatarId: avatars.one, conversationId: randomUUID(), userName: '', signal };
  const tools = await untilOffered(() => mcp.tools({ ...request, remainingMs: 10_000 }), 1);
  const echo = tools.find(({ name }) => name.endsWith('__echo'));
  const args = { message: 'olá' };
  const context = { signal, remainingMs: 10_000, asked: { startedAt: new Date(), tokens: 0 } };
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
    secretKey,
    egressAllowPrivate: true,
    openaiBaseUrl: model.baseURL,
    openaiModel: 'bench',
  };
  const models = makeModels(settings, () => {});
  const { handlers, close } = makeHandlers({ db, log, onToolRun: () => {}, ...models }, settings);
  const answerer = makeAnswerer(db, handlers, log);
  const conversationId = await withHost(db, hostId, scope => insertConversation(scope));
  const ask = (subSlug: string) => async () => {
    const { code } = await answerer.answer({
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
      stepAside: () => () => {},
    });
    if (code !== 200) throw new Error(`a turn ended with ${code}`);
  };
  for (let warm = 0; warm < 5; warm += 1) await ask('ten')();
  const offered = await model.offered(ask('ten'));
  const figures = await inTurns({ none: ask('none'), ten: ask('ten') }, count);
  print(`${count} turns, without a server and with ten (${offered} functions offered)`, figures, [
    'none',
    'ten',
  ]);
  await close();
}

/** One after the other, so that both meet the same machine. */
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
    const avatarId = (await insertAvatar(scope, { subSlug, name: subSlug }))?.id ?? '';
    for (let at = 0; at < servers; at += 1) {
      await putMcpConfig(scope, {
        id: randomUUID(),
        avatarId,
        name: `servidor ${at}`,
        transportType: 'streamable',
        config: { url: everything.url },
        sealedHeaders: {},
        controlConv: true,
        version: '1.0.0',
        enabled: true,
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
  const port = await freePort();
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

async function startModel() {
  const message = { role: 'assistant', content: 'A secretaria atende de segunda a sexta.' };
  const usage = { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 };
  const choices = [{ index: 0, message, finish_reason: 'stop' }];
  const completion = JSON.stringify({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'bench',
    choices,
    usage,
  });
  let last = '';
  const listening = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      last = Buffer.concat(chunks).toString();
      response.writeHead(200, { 'content-type': 'application/json' }).end(completion);
    });
  }).listen(0, '127.0.0.1');
  await once(listening, 'listening');
  return {
    baseURL: `http://127.0.0.1:${(listening.address() as AddressInfo).port}/v1`,
    async offered(ask: () => Promise<void>) {
      await ask();
      return ((JSON.parse(last) as { tools?: unknown[] }).tools ?? []).length;
    },
    close() {
      listening.closeAllConnections();
      listening.close();
    },
  };
}
