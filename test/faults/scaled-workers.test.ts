import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { repeat } from '../../platform/repeat.ts';
import { refusals as refusalTexts } from '../../queues/contract/failure.ts';
import { listMessageTexts } from '../support/conversation-records.ts';
import { eventually } from '../support/eventually.ts';
import { say } from '../support/scripted-model.ts';
import { openOwnService, PUBLIC } from '../support/service.ts';
import { endAll, type SpawnedProcess, spawnWorker } from '../support/spawned-process.ts';

const PASSWORD = 'the password of this test';
const MODEL_TAKES_MS = 600;
const LANES = 24;
const TURNS = 2;
/** These ask until a worker was stopped: the turns of a few lanes need one worker only. */
const LONG_LANES = 3;
const MAX_WORKERS = 3;
const [, OVERLOADED] = refusalTexts.overloaded;

describe('workers that are started and stopped as parley_workers_wanted says', () => {
  const service = openOwnService(() => ({
    workers: false,
    opsPassword: PASSWORD,
    requestTimeoutMs: 60_000,
    workerConcurrency: 8,
  }));
  let workers: SpawnedProcess[] = [];
  const stopped: SpawnedProcess[] = [];
  before(async () => {
    service.model.script(async (request, response) => {
      await delay(MODEL_TAKES_MS);
      await say(`R ${request.messages.at(-1)?.content}`)(request, response);
    });
  });
  after(async () => {
    await endAll([...workers, ...stopped]);
  });

  const readWanted = async () => {
    const authorization = `Basic ${Buffer.from(`operator:${PASSWORD}`).toString('base64')}`;
    const { body } = await service.call('/metrics', undefined, { method: 'GET', headers: { authorization } });
    return Number(/parley_workers_wanted\{queue="turns"[^}]*\} (\d+)/.exec(String(body))?.[1]);
  };
  /** One step of an autoscaler, which starts or stops one worker. */
  const scale = async () => {
    const wanted = Math.min(await readWanted(), MAX_WORKERS);
    if (wanted > workers.length) workers.push(await spawnWorker(service));
    if (wanted >= workers.length) return;
    const worker = workers.pop() as SpawnedProcess;
    worker.kill('SIGTERM');
    stopped.push(worker);
  };
  /**
   * Asks one after the other in a conversation of its own. Where the machine has other work, the only worker may be judged too
   * slow at first: a turn that was refused as overload has not begun, and is asked again.
   */
  const lane = async (name: number) => {
    const { hostId, token } = name % 2 === 0 ? service.demo : service.acme;
    const hostSlug = name % 2 === 0 ? 'demo' : 'acme';
    const post = (operation: string, body: object) =>
      service.call(`${PUBLIC}/${operation}`, { hostId, ...body }, { token });
    const { conversationId } = (await post('createConversationId', { hostSlug })).body.data;
    const refusals: string[] = [];
    const texts: string[] = [];
    const isOver = (turn: number) => turn >= TURNS && (name >= LONG_LANES || stopped.length > 0);
    for (let turn = 0; !isOver(turn); turn += 1) {
      const question = `${name}-${turn}?`;
      const ask = () => post('svcReasoning', { conversationId, question });
      const { status, body } = await eventually(ask, ({ body }) => body.message !== OVERLOADED, 300_000);
      if (status !== 200) refusals.push(`${status} ${body.message}`);
      texts.push(`user: ${question}`, `assistant: R ${question}`);
    }
    return { conversationId, refusals, texts };
  };

  it('answer every turn once, are more under load, and fewer after it', async () => {
    const scaling = new AbortController();
    const { signal } = scaling;
    workers.push(await spawnWorker(service));
    let most = 1;
    const step = async () => {
      await scale();
      most = Math.max(most, workers.length);
    };
    const failures: unknown[] = [];
    const loop = repeat(step, { everyMs: 500, signal, onError: error => void failures.push(error) });
    const lanes = await Promise.all(Array.from({ length: LANES }, (_, name) => lane(name)));
    scaling.abort();
    await loop;
    expect(failures).to.deep.equal([]);
    expect(new Set(lanes.flatMap(({ refusals }) => refusals))).to.deep.equal(new Set());
    for (const { conversationId, texts } of lanes)
      expect(await listMessageTexts(service.db, conversationId)).to.deep.equal(texts);
    expect(most).to.be.above(1);
    expect(stopped.length).to.be.above(0);
    expect(await Promise.all(stopped.map(({ ended }) => ended))).to.deep.equal(stopped.map(() => 0));
  }).timeout(600_000);
});
