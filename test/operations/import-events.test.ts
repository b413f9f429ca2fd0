import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { checkBody } from '../../queues/contract/check-body.ts';
import { eventTypes } from '../../queues/contract/events.ts';
import { importAndWait, makeDataset, sendDocument, untilImported } from '../support/imports.ts';
import { openEach } from '../support/opened.ts';
import { openService } from '../support/service.ts';

const document = { name: 'canário-nome', external_key: 'guia', content_type: 'text/markdown' };

describe('the end of an import', () => {
  const service = openService();
  const host = openEach(() => service.addHost());
  const owner = { db: service.db, demo: host };
  let datasetId: string;
  beforeEach(async () => {
    await host.call('saveWebhook', { name: 'CRM', url: 'https://crm.example/', events: ['import.finished'] });
    datasetId = await makeDataset(owner);
  });

  const load = (content: string) => importAndWait(owner, { ...document, dataset_id: datasetId, content });
  const events = () => service.db('events').where({ host_id: host.hostId });
  const told = async () => {
    const rows = await events().orderBy('created_at').select('type', 'data');
    for (const { data } of rows)
      expect(checkBody(eventTypes['import.finished'].data as never, data).errors).to.deep.equal([]);
    return rows.map(({ type, data: { jobId: _, ...data } }) => [type, data]);
  };

  it('is told once, with what it changed, and without what the document says', async () => {
    const { data } = await load('# A\n\ncanário-um\n\n# B\n\nDois.');
    await load('# A\n\ncanário-um\n\n# C\n\nTrês.');
    const ids = { documentId: data?.documentId, datasetId };
    expect(await told()).to.deep.equal([
      ['import.finished', { ...ids, reason: null, added: 2, kept: 0, removed: 0 }],
      ['import.finished', { ...ids, reason: null, added: 1, kept: 1, removed: 1 }],
    ]);
    expect(JSON.stringify(await told())).not.to.include('canário');
  });

  it('is told under the id of its job, with the reason where nothing was changed', async () => {
    const wrong = { ...document, dataset_id: datasetId, content: '%PDF-nada' };
    const { jobId, documentId } = (await sendDocument(owner, wrong)).body.data;
    const reason = 'wrong-kind';
    expect((await untilImported(owner, jobId)).data).to.include({ reason });
    const [event] = await events().select('data');
    const nothing = { added: 0, kept: 0, removed: 0 };
    expect(event?.data).to.deep.equal({ jobId, documentId, datasetId, reason, ...nothing });
  });

  it('is told only where the webhook wants it, and not of an order that was refused', async () => {
    const refused = await sendDocument(owner, { ...document, dataset_id: randomUUID(), content: 'Texto.' });
    expect(refused.status).to.equal(404);
    expect(await told()).to.deep.equal([]);
  });
});
