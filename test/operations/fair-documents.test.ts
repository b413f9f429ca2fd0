import { expect } from 'chai';
import { importAndWait, makeDataset, sendDocument } from '../support/imports.ts';
import { type Service, startService } from '../support/service.ts';

const RUSH = 200;

describe('a rush of imports of one host', () => {
  let service: Service;
  before(async () => {
    service = await startService({ requestTimeoutMs: 120_000 });
  });
  after(() => service.close());

  it('lets another host go before nearly all of it', async () => {
    const { acme } = service;
    const [ofDemo, ofAcme] = [await makeDataset(service), await makeDataset(service, acme)];
    const document = { name: 'Guia', content_type: 'text/plain', content: 'Texto.' };
    const sent = await Promise.all(
      Array.from({ length: RUSH }, () => sendDocument(service, { ...document, dataset_id: ofDemo })),
    );
    expect(new Set(sent.map(({ status }) => status))).to.deep.equal(new Set([202]));
    const other = { ...document, hostId: acme.hostId, dataset_id: ofAcme };
    const { state } = await importAndWait(service, other, { token: acme.token });
    expect(state).to.equal('completed');
    const [left] = await service
      .db('document_imports')
      .where({ host_id: service.demo.hostId })
      .whereNull('ended_at')
      .count();
    expect(Number(left?.['count'])).to.be.greaterThan(RUSH / 2);
  });
});
