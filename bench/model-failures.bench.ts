import { once } from 'node:events';
import { parseArgs } from 'node:util';
import type { ModelScript } from '../test/support/scripted-model.ts';
import { fail, say, startScriptedModel } from '../test/support/scripted-model.ts';
import { SECRET_KEY, seedDemo, startDatabase } from './database.bench.ts';
import { describeTimes } from './percentiles.bench.ts';
import { makeProcessStarter, type StartedProcess } from './processes.bench.ts';
import { atOnce, startRedis } from './stores.bench.ts';

/*
 * Turns whose model fails in one way, with a fallback that answers: the share of them that is answered, and how long they take.
 * Each way has a web and two worker processes of its own, as in production, so that no breaker is open when it begins.
 */

const { values } = parseArgs({
  options: {
    turns: { type: 'string', default: '10000' },
    only: { type: 'string' },
    'at-once': { type: 'string', default: '64' },
    'limit-ms': { type: 'string', default: '9000' },
  },
});
const turns = Number(values.turns);
const MODEL = 'bench';
const FALLBACK = 'second';
const WARM_UP = 40;
const ANSWER = 'A secretaria atende das 8h às 21h.';
const stall: ModelScript = () => {};
const refuseRate: ModelScript = (_request, response) => {
  response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '1' });
  response.end('{"error":{"message":"too many requests"}}');
};
const stallAfterHeaders: ModelScript = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
};
/** The refused connection has no script: nobody listens at its model's port. */
const failures: Readonly<Record<string, ModelScript | undefined>> = {
  refused: undefined,
  'status-500': fail(500),
  'status-429': refuseRate,
  'stall-before-headers': stall,
  'stall-after-headers': stallAfterHeaders,
};

const redis = await startRedis();
const { db, ...database } = await startDatabase({ max: 4 });
const { hostId, token } = await seedDemo(db);
const failing = await startScriptedModel();
const working = await startScriptedModel();
// The model keeps the request of each turn.
const forgetRequests = setInterval(() => {
  failing.requests.length = 0;
  working.requests.length = 0;
}, 1_000);
working.script(say(ANSWER));

for (const [name, script] of Object.entries(failures))
  if (values.only === undefined || values.only.split(',').includes(name)) await measure(name, script);

clearInterval(forgetRequests);
await Promise.all([failing.close(), working.close()]);
await redis.stop();
await database.stop();

async function measure(name: string, script: ModelScript | undefined): Promise<void> {
  let calls = 0;
  if (script)
    failing.script((request, response) => {
      calls += 1;
      return script(request, response);
    });
  const start = makeProcessStarter({
    databaseUrl: database.url,
    redisUrl: redis.redisUrl,
    openaiBaseUrl: script ? failing.baseURL : 'http://127.0.0.1:1',
    env: {
      SECRET_KEY,
      REQUEST_TIMEOUT_MS: values['limit-ms'],
      LLM_PROVIDERS: JSON.stringify({ other: { baseURL: working.baseURL, models: [FALLBACK] } }),
      MODEL_FALLBACKS: JSON.stringify({ [MODEL]: [FALLBACK] }),
    },
  });
  const processes = await Promise.all([start('api'), start('workers'), start('workers')]);
  const port = processes[0].port;
  const refusals = new Map<string, number>();
  const took: number[] = [];
  const askOne = async (): Promise<Answer> => {
    const { data } = await call(port, 'createConversationId', { hostId, hostSlug: 'demo' });
    const asked = {
      hostId,
      conversationId: data?.conversationId,
      question: 'Qual é o horário da secretaria?',
    };
    return call(port, 'svcReasoning', asked);
  };
  // On a busy machine, a process takes longer than the limit to load the code of its first turns.
  await atOnce(WARM_UP, 4, async () => void (await askOne()));
  calls = 0;
  const { perSecond } = await atOnce(turns, Number(values['at-once']), async () => {
    const askedAt = performance.now();
    const { status, message, data } = await askOne();
    took.push(performance.now() - askedAt);
    if (status === 200 && data?.assistantResponse?.string === ANSWER) return;
    const refusal = `${status} ${message}`;
    refusals.set(refusal, (refusals.get(refusal) ?? 0) + 1);
  });
  await Promise.all(processes.map(stop));
  const refused = [...refusals.values()].reduce((sum, count) => sum + count, 0);
  const share = (100 * (turns - refused)) / turns;
  console.log(
    `${name}: ${turns - refused} of ${turns} answered (${share.toFixed(2)} %), ${perSecond.toFixed(0)} a second`,
  );
  console.log(
    `  a turn ${describeTimes(took)}; calls of the failing model: ${script ? calls : 'not counted'}`,
  );
  for (const [refusal, count] of refusals) console.log(`  ${count} times ${refusal}`);
}

interface Answer {
  readonly status: number;
  readonly message: string;
  readonly data?: {
    readonly conversationId?: string;
    readonly assistantResponse?: { readonly string: string };
  };
}

async function call(port: number, operation: string, body: object): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${port}/api/externalAPIs/public/${operation}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { ...((await response.json()) as Omit<Answer, 'status'>), status: response.status };
}

async function stop({ child }: StartedProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
