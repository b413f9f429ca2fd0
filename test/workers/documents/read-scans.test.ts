import { expect } from 'chai';
import { insertImport, type OpenImport } from '../../../db/knowledge/document-imports.ts';
import { insertUpload } from '../../../db/knowledge/document-uploads.ts';
import { openDocument } from '../../../db/knowledge/documents.ts';
import { setReadsScans } from '../../../db/knowledge/scanned-pages.ts';
import { parseDocument } from '../../../workers/knowledge/parser/parse-document.ts';
import { readScans, type ScanParts } from '../../../workers/knowledge/read-scans.ts';
import { runImport } from '../../../workers/knowledge/run-import.ts';
import type { Model } from '../../../workers/model/model.ts';
import { assertDefined } from '../../support/assert-defined.ts';
import { buildHost } from '../../support/build-host.ts';
import { makeDatabase } from '../../support/database.ts';
import { openOnce } from '../../support/opened.ts';
import { barsIn, makeScan } from '../../support/scans.ts';

describe('the scanned pages of an import', () => {
  const { db } = openOnce(makeDatabase);

  it('are read from the one on that was not, where their worker dies', async () => {
    const { hostId, datasetId, avatarId, inHost } = await buildHost(db);
    const document = { datasetId, name: 'Edital', mediaType: 'application/pdf' } as const;
    const documentId = assertDefined(await inHost(scope => openDocument(scope, document)));
    await inHost(async scope => {
      await setReadsScans(scope, documentId, true);
      const uploadId = await insertUpload(scope, makeScan([1, 2, 3].map(bars => ({ bars }))));
      const token = { id: avatarId, name: 'test' };
      await insertImport(scope, { ...document, id: 'scanned', documentId, uploadId, token });
    });
    const asked: number[] = [];
    const run = (dying: AbortController, at?: number) => {
      const complete: Model['complete'] = async (_name, messages, { signal }) => {
        const [png] = messages.flatMap(message => ('images' in message ? (message.images ?? []) : []));
        const bars = barsIn(Buffer.from(png?.base64 ?? '', 'base64'));
        asked.push(bars);
        if (bars === at) dying.abort();
        signal.throwIfAborted();
        const answer = { text: `Taxa ${bars}`, toolCalls: [], isTruncated: false, tokens: 1, model: 'vê' };
        return { answer, calls: [] };
      };
      const directory = { findInsightModel: async () => undefined };
      const scanModel = { model: { complete }, directory, visionModels: ['vê'], defaultModel: 'vê' };
      const parser = {
        read: (request: Parameters<typeof parseDocument>[0]) => parseDocument(request, () => {}),
      };
      const egress = { fetch: () => Promise.reject(new Error('no address is read here')) };
      const rest = { onFetching: () => {}, onProgress: async () => {}, signal: dying.signal };
      return runImport({ db, parser, egress, scanModel, ...rest }, { hostId, importId: 'scanned' });
    };
    const died = await run(new AbortController(), 2).catch((error: Error) => error.name);
    expect([died, asked]).to.deep.equal(['AbortError', [1, 2]]);
    expect(await run(new AbortController())).to.equal(undefined);
    expect(asked).to.deep.equal([1, 2, 2, 3]);
    const places = await db('chunks').where({ document_id: documentId }).orderBy('place').pluck('place');
    expect(places).to.deep.equal(['p. 1', 'p. 2', 'p. 3']);
  });

  it('are drawn for as long as they are read, also where none becomes a picture', async () => {
    const { hostId, datasetId } = await buildHost(db);
    const { now } = performance;
    let [late, drawn] = [0, 0];
    performance.now = () => now.call(performance) + late;
    const parser: ScanParts['parser'] = {
      read: async () => {
        [late, drawn] = [late + 300_000, drawn + 1];
        return { png: null };
      },
    };
    const scanModel = {
      model: { complete: () => Promise.reject(new Error('nothing is to be read')) },
      directory: { findInsightModel: async () => undefined },
      visionModels: ['vê'],
      defaultModel: 'vê',
    };
    const order = { hostId, documentId: datasetId, readsScans: true, isAutomatic: false } as OpenImport;
    const parts = { db, parser, scanModel, onFetching: () => {}, signal: new AbortController().signal };
    const text = { blocks: [], scanned: [1, 2, 3, 4] };
    try {
      const { scans } = await readScans(order, text, parts, { bytes: Buffer.of(), onPage: () => {} });
      expect([drawn, scans?.unread]).to.deep.equal([
        2,
        [
          { from: 1, to: 2, why: 'picture' },
          { from: 3, to: 4, why: 'limit' },
        ],
      ]);
    } finally {
      performance.now = now;
    }
  });
});
