import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { chunksOf, makeDataset, sendDocument, untilImported } from '../support/imports.ts';
import { makeOwnRedis } from '../support/own-redis.ts';
import { makePostgresQueueStore } from '../support/queue-store.ts';
import type { OwnRedis } from '../support/redis-server.ts';
import { type Service, startService } from '../support/service.ts';
import { endAll, type SpawnedProcess, spawnWorker } from '../support/spawned-process.ts';

const PASSAGES = 600;

/** The second version differs from the first in every passage. */
const versionOf = (version: number) =>
  Array.from({ length: PASSAGES }, (_, at) => `# Seção ${at}\n\nVersão ${version} do texto ${at}.`).join(
    '\n\n',
  );

function defineTests(isOnRedis: boolean): void {
  let service: Service;
  let redis: OwnRedis | undefined;
  let datasetId: string;
  const workers: SpawnedProcess[] = [];
  const spawn = async () => void workers.push(await spawnWorker(service));
  const send = async (version: number) => {
    const document = {
      dataset_id: datasetId,
      name: 'Guia',
      external_key: 'guia',
      content_type: 'text/markdown',
    };
    const { body } = await sendDocument(service, { ...document, content: versionOf(version) });
    return body.data.jobId as string;
  };
  const versionsStored = async () =>
    new Set((await chunksOf(service, datasetId)).map(({ content }) => /Versão (\d)/.exec(content)?.[1]));
  before(async () => {
    redis = isOnRedis ? await makeOwnRedis() : undefined;
    const store = redis ? { redisUrl: redis.url } : { store: await makePostgresQueueStore('seeded') };
    service = await startService({ workers: false, requestTimeoutMs: 30_000, ...store });
    await spawn();
    datasetId = await makeDataset(service);
  });
  after(async () => {
    await endAll(workers);
    await service.close();
    await redis?.kill();
  });

  it('leave nothing half, and the next worker finishes them', async () => {
    await untilImported(service, await send(1));
    expect(await versionsStored()).to.deep.equal(new Set(['1']));
    const jobId = await send(2);
    const stage = () => service.db('document_imports').where({ id: jobId }).first('stage');
    // While its passages are being written, in one transaction.
    await eventually(stage, row => row?.stage === 'storing' || row?.stage === 'ended', 30_000);
    for (const worker of workers.splice(0)) {
      worker.kill('SIGKILL');
      await worker.ended;
    }
    const seen = await versionsStored();
    expect([...seen]).to.have.length(1);
    expect(await chunksOf(service, datasetId)).to.have.length(PASSAGES);
    await spawn();
    const ended = await untilImported(service, jobId);
    expect(ended).to.deep.include({ state: 'completed', code: 200 });
    expect(ended.data).to.deep.include({ passages: PASSAGES, added: PASSAGES, removed: PASSAGES });
    expect(await versionsStored()).to.deep.equal(new Set(['2']));
    expect(await service.db('document_uploads')).to.deep.equal([]);
  });

  if (!isOnRedis) return;
  it('are finished after the queue store lost all its jobs', async () => {
    if (!redis) throw new Error('there is no Redis');
    for (const worker of workers.splice(0)) {
      worker.kill('SIGKILL');
      await worker.ended;
    }
    await spawn();
    const jobId = await send(3);
    await redis.kill();
    await redis.start();
    const ended = await untilImported(service, jobId);
    expect(ended.data).to.deep.include({ passages: PASSAGES });
    expect(await versionsStored()).to.deep.equal(new Set(['3']));
  });
}

for (const store of ['PostgreSQL', 'Redis'])
  describe(`imports whose worker is killed, with the queues on ${store},`, () => {
    defineTests(store === 'Redis');
  });
