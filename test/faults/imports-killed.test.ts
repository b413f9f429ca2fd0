import { expect } from 'chai';
import { itAtOnce } from '../support/at-once.ts';
import { eventually } from '../support/eventually.ts';
import { chunksOf, importAndWait, makeDataset, sendDocument, untilImported } from '../support/imports.ts';
import { openMadeUpSite } from '../support/made-up-site.ts';
import { type Processes, startProcesses } from './processes.ts';

const PASSAGES = 300;

/** The second version differs from the first in every passage. */
const versionOf = (version: number) =>
  Array.from({ length: PASSAGES }, (_, at) => `# Seção ${at}\n\nVersão ${version} do texto ${at}.`).join(
    '\n\n',
  );

type ImportParts = Processes & { readonly datasetId: string };

/** A service with one worker, and its dataset. */
async function withWorker(isOnRedis: boolean, test: (parts: ImportParts) => Promise<void>): Promise<void> {
  const processes = await startProcesses({
    workers: 1,
    isOnRedis,
    requestTimeoutMs: 30_000,
    egressAllowPrivate: true,
    env: { EGRESS_ALLOW_PRIVATE: 'true' },
  });
  try {
    await test({ ...processes, datasetId: await makeDataset(processes.service) });
  } finally {
    await processes.close();
  }
}

async function sendVersion({ service, datasetId }: ImportParts, version: number): Promise<string> {
  const document = { dataset_id: datasetId, name: 'Guia', external_key: 'guia' };
  const content = { content_type: 'text/markdown', content: versionOf(version) };
  const { body } = await sendDocument(service, { ...document, ...content });
  return body.data.jobId;
}

async function versionsStored({ service, datasetId }: ImportParts): Promise<ReadonlySet<string | undefined>> {
  return new Set((await chunksOf(service, datasetId)).map(({ content }) => /Versão (\d)/.exec(content)?.[1]));
}

async function importOverKill(parts: ImportParts): Promise<void> {
  const { service, datasetId, spawn, kill } = parts;
  await untilImported(service, await sendVersion(parts, 1));
  expect(await versionsStored(parts)).to.deep.equal(new Set(['1']));
  const jobId = await sendVersion(parts, 2);
  const stage = () => service.db('document_imports').where({ id: jobId }).first('stage');
  // While its passages are being written, in one transaction.
  await eventually(stage, row => row?.stage === 'storing' || row?.stage === 'ended');
  await kill();
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

/** Nobody ordered the second import, which the next worker goes on with, too. */
async function refreshOverKill(parts: ImportParts): Promise<void> {
  const { service, datasetId, spawn, kill } = parts;
  const site = await openMadeUpSite();
  const publish = (version: number) => {
    const texts = Array.from(
      { length: PASSAGES },
      (_, at) => `<h2>Seção ${at}</h2><p>Versão ${version} do texto ${at}.</p>`,
    );
    site.answer('guia', { body: texts.join('') });
  };
  publish(1);
  const document = {
    dataset_id: datasetId,
    name: 'Guia',
    url: `${site.origin}/guia`,
    refresh_every_hours: 1,
  };
  const { data } = await importAndWait(service, document);
  publish(2);
  const ofDocument = { document_id: data?.documentId };
  await service.db('document_refreshes').where(ofDocument).update({ due_at: service.db.fn.now() });
  const automatic = () =>
    service
      .db('document_imports')
      .where({ ...ofDocument, automatic: true })
      .first();
  await eventually(automatic, row => row?.stage === 'storing' || row?.stage === 'ended');
  await kill();
  expect([...(await versionsStored(parts))]).to.have.length(1);
  expect(await chunksOf(service, datasetId)).to.have.length(PASSAGES);
  await spawn();
  await eventually(automatic, row => row?.stage === 'ended' && row.reason === null, 60_000);
  expect(await versionsStored(parts)).to.deep.equal(new Set(['2']));
  expect(await service.db('document_changes').where({ ...ofDocument, automatic: true })).to.have.length(1);
  await site.close();
}

async function importOverLoss(parts: ImportParts): Promise<void> {
  const jobId = await sendVersion(parts, 3);
  await parts.redis.kill();
  await parts.redis.start();
  const ended = await untilImported(parts.service, jobId);
  expect(ended.data).to.deep.include({ passages: PASSAGES });
  expect(await versionsStored(parts)).to.deep.equal(new Set(['3']));
}

describe('imports', () => {
  itAtOnce({
    'on PostgreSQL, whose worker is killed, leave nothing half, and the next worker finishes them': () =>
      withWorker(false, importOverKill),
    'on Redis, whose worker is killed or whose queue store loses all its jobs, leave nothing half, and are finished':
      () => withWorker(true, parts => importOverKill(parts).then(() => importOverLoss(parts))),
    'that nobody ordered leave nothing half when their worker is killed, and are finished and told once':
      () => withWorker(false, refreshOverKill),
  });
});
