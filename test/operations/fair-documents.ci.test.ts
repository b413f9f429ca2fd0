import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { importAndWait, makeDataset, sendDocument, untilImported } from '../support/imports.ts';
import { openOwnService } from '../support/service.ts';

/** Many more than are read before one of another host is, which takes its turn next. */
const RUSH = 30;

describe('a rush of imports of one host', () => {
  const service = openOwnService({ requestTimeoutMs: 120_000 });

  it('lets another host go before nearly all of it', async () => {
    const { acme, demo, db } = service;
    const [ofDemo, ofAcme] = [await makeDataset(service), await makeDataset(service, acme)];
    const document = { name: 'Guia', content_type: 'text/plain', content: 'Texto.' };
    const send = () => sendDocument(service, { ...document, dataset_id: ofDemo });
    const sent = await Promise.all(Array.from({ length: RUSH }, send));
    expect(new Set(sent.map(({ status }) => status))).to.deep.equal(new Set([202]));
    const other = await importAndWait({ db, demo: acme }, { ...document, dataset_id: ofAcme });
    expect(other.state).to.equal('completed');
    const left = await db('document_imports').where({ host_id: demo.hostId }).whereNull('ended_at');
    expect(left.length).to.be.greaterThan(RUSH / 2);
  });
});

describe('the import of a site', () => {
  const service = openOwnService({
    egressAllowPrivate: true,
    parserProgram: [new URL('./stuck-parser.mjs', import.meta.url).pathname],
  });

  it('does not wait for documents of other hosts that take long to read, for its files neither', async () => {
    const { db } = service;
    const owner = { db, demo: await service.addHost() };
    const datasetId = await makeDataset(owner);
    const asked: ServerResponse[] = [];
    const site = createServer(({ url = '' }, response) => {
      if (url === '/') return void asked.push(response);
      const isFile = url === '/a.csv';
      response.writeHead(200, { 'content-type': isFile ? 'text/csv' : 'text/html' }).end('<p>Texto.</p>');
    });
    await once(site.listen(0, '127.0.0.1'), 'listening');
    try {
      const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
      const sent = await sendDocument(owner, { dataset_id: datasetId, name: 'Site', url });
      await eventually(() => asked.length, 1);
      for (const tenant of [service.demo, service.acme]) {
        const document = { name: 'Guia', content_type: 'text/plain', content: 'Texto.' };
        const dataset_id = await makeDataset(service, tenant);
        await sendDocument(
          service,
          { hostId: tenant.hostId, dataset_id, ...document },
          { token: tenant.token },
        );
      }
      const areRead = () => service.db('document_imports').where({ stage: 'reading', done: 1 });
      await eventually(areRead, rows => rows.length === 2);
      const pages = ['a.csv', 'b'].map(path => `<url><loc>${url}${path}</loc></url>`).join('');
      asked[0]?.writeHead(200, { 'content-type': 'text/xml' }).end(`<urlset>${pages}</urlset>`);
      const ended = await untilImported(owner, sent.body.data.jobId);
      expect(ended.data).to.deep.include({ passages: 2 });
      expect(await areRead()).to.have.length(2);
    } finally {
      site.close();
      site.closeAllConnections();
    }
  });
});
