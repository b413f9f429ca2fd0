import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { checkBody } from '../../queues/contract/check-body.ts';
import { eventTypes } from '../../queues/contract/events.ts';
import { importAndWait, makeDataset, sendDocument, untilImported } from '../support/imports.ts';
import { openService } from '../support/service.ts';

const NAME = 'canário-nome';
const document = { name: NAME, external_key: 'guia', content_type: 'text/markdown' };

describe('the end of an import', () => {
  const service = openService();
  let datasetId: string;
  before(async () => {
    await service.demo.call('saveWebhook', {
      name: 'CRM',
      url: 'https://crm.example/',
      events: ['import.finished'],
    });
  });
  beforeEach(async () => {
    await service.db('events').delete();
    datasetId = await makeDataset(service);
  });

  const load = (content: string, more: Record<string, unknown> = {}) =>
    importAndWait(service, { ...document, dataset_id: datasetId, content, ...more });
  const told = async () => {
    const rows = await service.db('events').orderBy('created_at').select('type', 'data');
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
    const { body } = await sendDocument(service, {
      ...document,
      dataset_id: datasetId,
      content: '%PDF-nada',
    });
    const { jobId, documentId } = body.data;
    const ended = await untilImported(service, jobId);
    expect(ended.data?.reason).to.equal('wrong-kind');
    const [event] = await service.db('events').select('data');
    const nothing = { added: 0, kept: 0, removed: 0 };
    expect(event?.data).to.deep.equal({
      jobId,
      documentId,
      datasetId,
      reason: ended.data?.reason,
      ...nothing,
    });
  });

  it('is told only where the webhook wants it, and not of an order that was refused', async () => {
    const refused = await sendDocument(service, { ...document, dataset_id: randomUUID(), content: 'Texto.' });
    expect(refused.status).to.equal(404);
    expect(await told()).to.deep.equal([]);
  });
});
