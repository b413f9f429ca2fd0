import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { type RetryingProxy, startRetryingProxy } from '../../bench/retrying-proxy.bench.ts';
import { listMessageTexts } from '../support/conversation-records.ts';
import { say } from '../support/scripted-model.ts';
import { openOwnService, PUBLIC, type Service } from '../support/service.ts';
import {
  endAll,
  type SpawnedApi,
  type SpawnedProcess,
  spawnApi,
  spawnWorker,
} from '../support/spawned-process.ts';

const LANES = 6;
const MODEL_TAKES_MS = 100;

describe('a rolling restart under load', () => {
  const service = openOwnService(() => ({ workers: false, requestTimeoutMs: 30_000 }));
  let proxy: RetryingProxy;
  let workers: SpawnedProcess[] = [];
  let apis: SpawnedApi[] = [];
  before(async () => {
    service.model.script(async (request, response) => {
      await delay(MODEL_TAKES_MS);
      await say(`R ${request.messages.at(-1)?.content}`)(request, response);
    });
    workers = await Promise.all([spawnWorker(service), spawnWorker(service)]);
    apis = await Promise.all([spawnApi(service), spawnApi(service)]);
    proxy = await startRetryingProxy(() => apis.map(({ baseURL }) => baseURL));
  });
  after(async () => {
    await proxy?.close();
    await endAll([...workers, ...apis]);
  });

  /** A lane asks sequentially in its own conversation; returns the answers. */
  const lane = async (name: number, isOver: () => boolean) => {
    const conversationId = await service.newConversation();
    const statuses: number[] = [];
    const answered: string[] = [];
    while (!isOver()) {
      const question = `${name}-${statuses.length}?`;
      const response = await fetch(`${proxy.baseURL}${PUBLIC}/svcReasoning`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${service.demo.token}`,
          'content-type': 'application/json',
          'idempotency-key': question,
        },
        body: JSON.stringify({ hostId: service.demo.hostId, conversationId, question }),
      });
      statuses.push(response.status);
      await response.arrayBuffer();
      if (response.status === 200) answered.push(`user: ${question}`, `assistant: R ${question}`);
    }
    return { conversationId, statuses, answered };
  };
  /** One process ends before its replacement starts, so that only the other one runs meanwhile. */
  const restart = async <T extends SpawnedProcess>(all: T[], spawn: (service: Service) => Promise<T>) => {
    const [old, ...others] = all;
    old?.kill('SIGTERM');
    expect(await old?.ended).to.equal(0);
    return [...others, await spawn(service)];
  };

  it('of each worker and each web process loses no turn, doubles none, and shows no client a 5xx', async () => {
    let isOver = false;
    const load = Array.from({ length: LANES }, (_, name) => lane(name, () => isOver));
    for (let round = 0; round < 2; round += 1) {
      [workers, apis] = await Promise.all([restart(workers, spawnWorker), restart(apis, spawnApi)]);
    }
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
