import { expect } from 'chai';
import { itAtOnce } from '../support/at-once.ts';
import { eventually } from '../support/eventually.ts';
import { chunksOf, makeDataset, sendDocument, untilImported } from '../support/imports.ts';
import { makeOwnRedis } from '../support/own-redis.ts';
import { makePostgresQueueStore } from '../support/queue-store.ts';
import type { OwnRedis } from '../support/redis-server.ts';
import { type Service, startService } from '../support/service.ts';
import { endAll, type SpawnedProcess, spawnWorker } from '../support/spawned-process.ts';

const PASSAGES = 300;

/** The second version differs from the first in every passage. */
const versionOf = (version: number) =>
  Array.from({ length: PASSAGES }, (_, at) => `# Seção ${at}\n\nVersão ${version} do texto ${at}.`).join(
    '\n\n',
  );

/** A service with one worker, and its dataset. */
async function withWorker(
  redis: OwnRedis | undefined,
  test: (parts: ImportParts) => Promise<void>,
): Promise<void> {
  const store = redis ? { redisUrl: redis.url } : { store: await makePostgresQueueStore('seeded') };
  const service = await startService({ workers: false, requestTimeoutMs: 30_000, ...store });
  const workers: SpawnedProcess[] = [];
  try {
    const spawn = async () => void workers.push(await spawnWorker(service));
    await spawn();
    const killAll = async () => {
      for (const worker of workers) worker.kill('SIGKILL');
      for (const worker of workers.splice(0)) await worker.ended;
    };
    await test({ service, datasetId: await makeDataset(service), spawn, killAll });
  } finally {
    await endAll(workers);
    await service.close();
  }
}

interface ImportParts {
  readonly service: Service;
  readonly datasetId: string;
  spawn(): Promise<void>;
  killAll(): Promise<void>;
}

async function sendVersion({ service, datasetId }: ImportParts, version: number): Promise<string> {
  const document = {
    dataset_id: datasetId,
    name: 'Guia',
    external_key: 'guia',
    content_type: 'text/markdown',
  };
  const { body } = await sendDocument(service, { ...document, content: versionOf(version) });
  return body.data.jobId;
}

async function versionsStored({ service, datasetId }: ImportParts): Promise<ReadonlySet<string | undefined>> {
  return new Set((await chunksOf(service, datasetId)).map(({ content }) => /Versão (\d)/.exec(content)?.[1]));
}

async function importOverKill(parts: ImportParts): Promise<void> {
  const { service, datasetId, spawn, killAll } = parts;
  await untilImported(service, await sendVersion(parts, 1));
  expect(await versionsStored(parts)).to.deep.equal(new Set(['1']));
  const jobId = await sendVersion(parts, 2);
  const stage = () => service.db('document_imports').where({ id: jobId }).first('stage');
  // While its passages are being written, in one transaction.
  await eventually(stage, row => row?.stage === 'storing' || row?.stage === 'ended', 30_000);
  await killAll();
  const seen = await versionsStored(parts);
  expect([...seen]).to.have.length(1);
  expect(await chunksOf(service, datasetId)).to.have.length(PASSAGES);
  await spawn();
  const ended = await untilImported(service, jobId);
  expect(ended).to.deep.include({ state: 'completed', code: 200 });
  expect(ended.data).to.deep.include({ passages: PASSAGES, added: PASSAGES, removed: PASSAGES });
  expect(await versionsStored(parts)).to.deep.equal(new Set(['2']));
  expect(await service.db('document_uploads')).to.deep.equal([]);
}

async function importOverLoss(parts: ImportParts, redis: OwnRedis): Promise<void> {
  const jobId = await sendVersion(parts, 3);
  await redis.kill();
  await redis.start();
  const ended = await untilImported(parts.service, jobId);
  expect(ended.data).to.deep.include({ passages: PASSAGES });
  expect(await versionsStored(parts)).to.deep.equal(new Set(['3']));
}

describe('imports', () => {
  itAtOnce({
    'on PostgreSQL, whose worker is killed, leave nothing half, and the next worker finishes them': () =>
      withWorker(undefined, importOverKill),
    async 'on Redis, whose worker is killed or whose queue store loses all its jobs, leave nothing half, and are finished'() {
      const redis = await makeOwnRedis();
      await withWorker(redis, async parts => {
        await importOverKill(parts);
        await importOverLoss(parts, redis);
      });
      await redis.kill();
    },
  });
});
