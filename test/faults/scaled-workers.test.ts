import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { repeat } from '../../platform/repeat.ts';
import { refusals as refusalTexts } from '../../queues/contract/failure.ts';
import { listMessageTexts } from '../support/conversation-records.ts';
import { eventually } from '../support/eventually.ts';
import { say } from '../support/scripted-model.ts';
import type { SpawnedProcess } from '../support/spawned-process.ts';
import { openProcesses } from './processes.ts';

const PASSWORD = 'the password of this test';
const MODEL_TAKES_MS = 600;
const LANES = 24;
const TURNS = 2;
/** These ask until a worker was stopped: the turns of a few lanes need one worker only. */
const LONG_LANES = 3;
const MAX_WORKERS = 3;
const [, OVERLOADED] = refusalTexts.overloaded;

describe('workers that are started and stopped as parley_workers_wanted says', () => {
  const { service, workers, spawn } = openProcesses({
    opsPassword: PASSWORD,
    requestTimeoutMs: 60_000,
    workerConcurrency: 8,
  });
  const stopped: SpawnedProcess[] = [];
  before(async () => {
    service.model.script(async (request, response) => {
      await delay(MODEL_TAKES_MS);
      await say(`R ${request.messages.at(-1)?.content}`)(request, response);
    });
  });

  const readWanted = async () => {
    const authorization = `Basic ${Buffer.from(`operator:${PASSWORD}`).toString('base64')}`;
    const { body } = await service.call('/metrics', undefined, { method: 'GET', headers: { authorization } });
    return Number(/parley_workers_wanted\{queue="turns"[^}]*\} (\d+)/.exec(String(body))?.[1]);
  };
  /** One step of an autoscaler, which starts or stops one worker. */
  const scale = async () => {
    const wanted = Math.min(await readWanted(), MAX_WORKERS);
    if (wanted > workers.length) await spawn();
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
    const host = name % 2 === 0 ? service.demo : service.acme;
    const conversationId = await host.newConversation();
    const refusals: string[] = [];
    const texts: string[] = [];
    const isOver = (turn: number) => turn >= TURNS && (name >= LONG_LANES || stopped.length > 0);
    for (let turn = 0; !isOver(turn); turn += 1) {
      const question = `${name}-${turn}?`;
      const ask = () => host.ask(question, { conversationId });
      const { status, body } = await eventually(ask, ({ body }) => body.message !== OVERLOADED, 300_000);
      if (status !== 200) refusals.push(`${status} ${body.message}`);
      texts.push(`user: ${question}`, `assistant: R ${question}`);
    }
    return { conversationId, refusals, texts };
  };

  it('answer every turn once, are more under load, and fewer after it', async () => {
    const scaling = new AbortController();
    const { signal } = scaling;
    await spawn();
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
