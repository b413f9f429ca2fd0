import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { startRetryingProxy } from '../../bench/retrying-proxy.bench.ts';
import { listMessageTexts } from '../support/conversation-records.ts';
import { openOnce } from '../support/opened.ts';
import { say } from '../support/scripted-model.ts';
import { serviceAt } from '../support/service.ts';
import type { SpawnedProcess } from '../support/spawned-process.ts';
import { openProcesses, type ServingApi, UNHURRIED_MS } from './processes.ts';

const LANES = 6;
const MODEL_TAKES_MS = 100;

describe('a rolling restart under load', () => {
  const { service, workers, spawn, spawnApi } = openProcesses({ workers: 2, requestTimeoutMs: UNHURRIED_MS });
  const apis: ServingApi[] = [];
  const proxy = openOnce(() => startRetryingProxy(() => apis.map(({ baseURL }) => baseURL)));
  before(async () => {
    service.model.script(async (request, response) => {
      await delay(MODEL_TAKES_MS);
      await say(`R ${request.messages.at(-1)?.content}`)(request, response);
    });
    apis.push(await spawnApi(), await spawnApi());
  });

  /** A lane asks sequentially in its own conversation; returns the answers. */
  const lane = async (name: number, isOver: () => boolean) => {
    const through = await serviceAt(service, proxy.baseURL);
    const conversationId = await service.newConversation();
    const statuses: number[] = [];
    const answered: string[] = [];
    while (!isOver()) {
      const question = `${name}-${statuses.length}?`;
      const { status } = await through.ask(
        question,
        { conversationId },
        { headers: { 'idempotency-key': question } },
      );
      statuses.push(status);
      if (status === 200) answered.push(`user: ${question}`, `assistant: R ${question}`);
    }
    return { conversationId, statuses, answered };
  };
  /** One process ends before its replacement starts, so that only the other one runs meanwhile. */
  const restart = async (all: SpawnedProcess[], start: () => Promise<unknown>) => {
    const [old] = all;
    old?.kill('SIGTERM');
    expect(await old?.ended).to.equal(0);
    await start();
    all.shift();
  };

  it('of each worker and each web process loses no turn, doubles none, and shows no client a 5xx', async () => {
    let isOver = false;
    const load = Array.from({ length: LANES }, (_, name) => lane(name, () => isOver));
    for (let round = 0; round < 2; round += 1)
      await Promise.all([restart(workers, spawn), restart(apis, async () => apis.push(await spawnApi()))]);
    isOver = true;
    const lanes = await Promise.all(load);
    const statuses = lanes.flatMap(one => one.statuses);
    expect(statuses.length).to.be.above(4 * LANES);
    expect(statuses.filter(status => status !== 200)).to.deep.equal([]);
    for (const { conversationId, answered } of lanes)
      expect(await listMessageTexts(service.db, conversationId)).to.deep.equal(answered);
    expect(proxy.retried()).to.be.above(0);
  });
});
