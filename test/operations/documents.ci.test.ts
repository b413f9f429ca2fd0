import { randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { lockDocument } from '../../db/knowledge/documents.ts';
import { expectRefused, expectWrong } from '../support/contract.ts';
import { chunksOf, importAndWait, makeDataset, sendDocument, untilImported } from '../support/imports.ts';
import type { Fields } from '../support/operation-calls.ts';
import { makePdfOf } from '../support/pdf.ts';
import { textOfStore } from '../support/queue-store.ts';
import { openService } from '../support/service.ts';
import { readStoredRows } from '../support/stored-rows.ts';
import { makeXlsx, rowOf } from '../support/xlsx.ts';

const markdown = `# Guia do aluno

Bem-vindo à universidade.

## Biblioteca

Abre de segunda a sexta, das 7h30 às 22h.

## Preços

| Curso | Mensalidade |
| --- | --- |
| Direito | R$ 1.200 |
| Letras | R$ 600 |
`;
const sections = ['Matrícula', 'Biblioteca', 'Estágio'].map(heading => ({
  heading,
  paragraphs: [`O setor de ${heading} atende das 8h às 17h na sala ${heading.length}.`],
}));

describe('documents', () => {
  const service = openService();
  const { demo, db, model } = service;
  let datasetId: string;
  beforeEach(async () => {
    datasetId = await makeDataset(service, demo, { avatarIds: [demo.avatarId] });
  });

  const text = (more: Fields = {}) => ({
    dataset_id: datasetId,
    name: 'Guia',
    content_type: 'text/markdown',
    content: markdown,
    ...more,
  });
  const load = (more: Fields = {}) => importAndWait(service, text(more));
  const list = async () => (await demo.call('listDocuments', { dataset_id: datasetId })).body.data.items;

  it('are read in their order, however many statements stored them', async () => {
    const headings = Array.from({ length: 450 }, (_, at) => `Seção ${(at * 7_919) % 450}`);
    const content = headings.map(heading => `## ${heading}\n\nTexto.`).join('\n\n');
    await load({ content });
    const asked = { avatar_id: demo.avatarId, dataset_ids: [datasetId] };
    const chunks: Fields[] = (await demo.call('readChunks', asked)).body.data;
    expect(chunks.map(chunk => chunk['content']).join('\n\n')).to.equal(content);
  });

  it('become chunks that begin with the path of their headings and keep tables whole', async () => {
    const ended = await load();
    expect(ended).to.deep.include({ state: 'completed', code: 200 });
    expect(ended.progress.stage).to.equal('ended');
    expect(ended.progress.done).to.equal(ended.progress.total).and.be.above(0);
    expect(ended.data).to.deep.include({ passages: 3, added: 3, kept: 0, removed: 0 });
    expect((await chunksOf(service, datasetId)).map(({ content, place }) => [content, place])).to.deep.equal([
      ['## Guia do aluno\n\nBem-vindo à universidade.', 'Guia do aluno'],
      [
        '## Guia do aluno > Biblioteca\n\nAbre de segunda a sexta, das 7h30 às 22h.',
        'Guia do aluno > Biblioteca',
      ],
      [
        '## Guia do aluno > Preços\n\n| Curso | Mensalidade |\n| --- | --- |\n| Direito | R$ 1.200 |\n| Letras | R$ 600 |',
        'Guia do aluno > Preços',
      ],
    ]);
  });

  it('keep one of the passages that became equal by hand', async () => {
    const named = text({ external_key: 'iguais', content: '# A\n\nUm.\n\n# B\n\nDois.' });
    await importAndWait(service, named);
    const [one, other] = await chunksOf(service, datasetId);
    await demo.call('editChunk', { id: other?.id, dataset_id: datasetId, content: one?.content });
    const again = await importAndWait(service, { ...named, content: '# A\n\nUm.' });
    expect(again.data).to.deep.include({ passages: 1, added: 0, kept: 1, removed: 1 });
    expect(await chunksOf(service, datasetId)).to.have.length(1);
  });

  it('tell how many struck-through texts they left out: with the job, the list and the event', async () => {
    const fee = '<table><tr><td>Taxa</td><td><del>R$ 80</del> R$ 95</td></tr></table>';
    const content = `<p><s>Até 30 de abril.</s> Até 15 de maio.</p>${fee}`;
    await demo.call('saveWebhook', { name: 'CRM', url: 'https://crm.example/', events: ['import.finished'] });
    const { data } = await load({ content_type: 'text/html', content });
    expect(data).to.deep.include({ struck: 2 });
    expect((await list())[0]).to.deep.include({ state: 'ready', struck: 2 });
    const [event] = await db('events').whereRaw("data->>'documentId' = ?", [String(data?.documentId)]);
    expect(event.data).to.deep.include({ struck: 2 });
    const all = (await chunksOf(service, datasetId)).map(({ content }) => content).join();
    expect(all)
      .to.include('Até 15 de maio.')
      .and.not.to.match(/abril|80/);
    expect((await load()).data).not.to.have.property('struck');
  });

  it('may hold what no text of the database may', async () => {
    const content = `# A\n\nUm\u0000 dois \ud83d ${'três '.repeat(20_000)}`;
    const ended = await load({ content });
    expect(ended, JSON.stringify(ended).slice(0, 300)).to.include({ state: 'completed', code: 200 });
  });

  it('are listed with their state, and deleted with their chunks', async () => {
    const { data } = await load({ external_key: 'guia' });
    const [listed, ...others] = await list();
    expect(others).to.deep.equal([]);
    expect(listed).to.deep.include({ id: data?.documentId, name: 'Guia', external_key: 'guia' });
    expect(listed).to.deep.include({ passages: 3, state: 'ready', content_type: 'text/markdown' });
    const { status, body } = await demo.call('deleteDocument', { id: data?.documentId });
    expect([status, body.data]).to.deep.equal([200, { id: data?.documentId, deleted: true, passages: 3 }]);
    expect(await chunksOf(service, datasetId)).to.deep.equal([]);
    expect(await list()).to.deep.equal([]);
    const again = await demo.call('deleteDocument', { documentId: data?.documentId });
    expect(again.body.data).to.deep.include({ deleted: true, passages: 0 });
    expectRefused(await demo.call('deleteDocument', { id: randomUUID() }), 'document-not-found');
  });

  it('replace the one with their key: unchanged passages keep their ids, and nothing else is written', async () => {
    const first = await load({ external_key: 'guia' });
    const before = await chunksOf(service, datasetId);
    const entries = async () => (await db('audit_entries').where({ table_name: 'chunks' })).length;
    const written = await entries();
    const content = markdown.replace('R$ 600', 'R$ 650');
    const changed = await load({ external_key: 'guia', content });
    expect(changed.data).to.deep.include({ ...first.data, passages: 3, added: 1, kept: 2, removed: 1 });
    // The passage that was removed, and the one in its place.
    expect(await entries()).to.equal(written + 2);
    const after = await chunksOf(service, datasetId);
    const isPrice = ({ place }: (typeof before)[number]) => place === 'Guia do aluno > Preços';
    expect(after.filter(each => !isPrice(each))).to.deep.equal(before.filter(each => !isPrice(each)));
    expect(after.find(isPrice)?.id).to.be.a('string').and.not.equal(before.find(isPrice)?.id);
    expect(await list()).to.have.length(1);
  });

  it('that are PDFs tell the page, in chunks and in the sources of an answer', async () => {
    const pdf = await makePdfOf('Guia do aluno', sections);
    const bytes = { content: undefined, content_base64: pdf.toString('base64') };
    const ended = await load({ name: 'Guia em PDF', content_type: 'application/pdf', ...bytes });
    expect(ended.data).to.deep.include({ passages: 3 });
    const [first] = await chunksOf(service, datasetId);
    expect(first?.place).to.equal('p. 2');
    expect(first?.content).to.match(/^## Guia do aluno > Biblioteca\n\nO setor de Biblioteca/);
    model.say('O setor de Biblioteca atende das 8h às 17h na sala 10.');
    const { body } = await demo.ask('Quando atende o setor de Biblioteca?');
    const source = { chunkId: first?.id, documentId: ended.data?.documentId, title: 'Guia em PDF, p. 2' };
    expect(body.data.sources[0]).to.deep.include(source);
  });

  it('that are sheets tell the row, with its labels', async () => {
    const rows = rowOf(1, ['Curso', 'Vagas']) + rowOf(2, ['Direito', [1200.5, 0]]);
    const sheets = ['Manhã', 'Noite'].map(name => ({ name, rows }));
    const ended = await load({
      content: undefined,
      content_type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      content_base64: Buffer.from(makeXlsx(sheets)).toString('base64'),
    });
    expect(ended).to.deep.include({ state: 'completed', code: 200 });
    expect((await chunksOf(service, datasetId)).map(({ content, place }) => [content, place])).to.deep.equal([
      ['## Manhã\n\nCurso: Direito\nVagas: 1200,5', 'Manhã, row 2'],
      ['## Noite\n\nCurso: Direito\nVagas: 1200,5', 'Noite, row 2'],
    ]);
  });

  it('are for nobody in a filtered dataset where a filter may be meant', async () => {
    const filtered = await makeDataset(service, demo, { datasetType: 'filtered_rag' });
    const loadInto = (content_type: string, content: string, more: Fields = {}) =>
      load({ dataset_id: filtered, content, content_type, ...more });
    const doubtful = ['***\ncampus: Z\n---', '---\ncampus: Z', '—\ncampus: Z\n—'].flatMap(head =>
      ['text/markdown', 'text/plain', 'text/csv', 'text/html'].map(async type => {
        const content =
          type === 'text/html' ? `<pre>${head}\nTexto</pre>` : `${head}\nA biblioteca abre às 7h.`;
        const { data } = await loadInto(type, content);
        expect(data?.reason, `${type} ${head}`).to.equal('front-matter-invalid');
      }),
    );
    const twice = loadInto('text/plain', '---\ncampus: Z\n---\nTexto', { filter: { campus: 'Z' } });
    expect((await twice).data?.reason).to.equal('front-matter-invalid');
    await Promise.all([...doubtful, loadInto('text/plain', '---\ncampus: Z\n---\nTexto')]);
    await loadInto('text/plain', '***\nOutro texto', { filter: { campus: 'Y' } });
    const stored = await db('chunks').where({ dataset_id: filtered }).select('filter', 'content');
    expect(stored).to.have.deep.members([
      { filter: { campus: ['z'] }, content: '## Guia\n\nTexto' },
      { filter: { campus: ['y'] }, content: '## Guia\n\n***\nOutro texto' },
    ]);
  });

  it('have one filter for all their chunks, which stays until another is given, and asks for one for new ones', async () => {
    datasetId = await makeDataset(service, demo, { datasetType: 'filtered_rag' });
    const loadAgain = async (more: Fields) => {
      const { data } = await load({ external_key: 'guia', ...more });
      const chunks = await db('chunks').where({ dataset_id: datasetId, deleted: false });
      const filters = new Set(chunks.map(({ filter }) => JSON.stringify(filter)));
      return [data?.kept, ...filters, JSON.stringify((await list())[0].filter)];
    };
    const [norte, sul] = ['{"campus":["norte"]}', '{"campus":["sul"]}'];
    expect(await loadAgain({ filter: { campus: 'Norte' } })).to.deep.equal([0, norte, norte]);
    expect(await loadAgain({})).to.deep.equal([3, norte, norte]);
    expect(await loadAgain({ filter: { campus: ['Sul'] } })).to.deep.equal([3, sul, sul]);
    expect(await loadAgain({ content: `---\ncampus: Norte\n---\n${markdown}` })).to.deep.equal([
      3,
      norte,
      norte,
    ]);
    expect(await loadAgain({})).to.deep.equal([3, norte, norte]);
    const changed = await load({ external_key: 'guia', content: `${markdown}\nNovo.` });
    expect([changed.code, changed.data?.reason]).to.deep.equal([422, 'filter-missing']);
    expect(await loadAgain({})).to.deep.equal([3, norte, norte]);
    expect(await loadAgain({ filter: {} })).to.deep.equal([3, 'null', undefined]);
    expectWrong(await sendDocument(service, text({ filter: { campus: '\u0301' } })), 'filter');
  });

  it('are refused without one of text, bytes and address, and change nothing', async () => {
    const before = await readStoredRows(db);
    const { content: _content, ...bare } = text();
    const wrong: [Fields, string][] = [
      [bare, 'content'],
      [text({ url: 'https://example.com' }), 'content'],
      [{ ...bare, content_base64: 'não é base64!' }, 'content_base64'],
      [{ ...bare, url: 'ftp://example.com' }, 'url'],
      [{ ...text(), content_type: undefined }, 'content_type'],
      [text({ content_type: 'application/zip' }), 'content_type'],
    ];
    for (const [body, path] of wrong) expectWrong(await sendDocument(service, body), path);
    expectRefused(await sendDocument(service, text({ dataset_id: randomUUID() })), 'dataset-not-found');
    const sendBytes = (count: number) => {
      const content_base64 = Buffer.alloc(count).toString('base64');
      return sendDocument(service, { ...bare, dataset_id: randomUUID(), content_base64 });
    };
    // The largest one is taken, and nothing is wrong but its dataset.
    expectRefused(await sendBytes(16 * 1_048_576), 'dataset-not-found');
    expectRefused(await sendBytes(16 * 1_048_576 + 1), 'document-too-large');
    await db('document_uploads').delete();
    expect(await readStoredRows(db)).to.deep.equal(before);
  });

  it('are imported once for one Idempotency-Key, and leave nothing behind of the repeats, whatever document they send', async () => {
    await db('document_uploads').delete();
    const headers = { 'idempotency-key': randomUUID() };
    const repeat = () => sendDocument(service, text(), { headers });
    const refuse = async () =>
      expectRefused(await sendDocument(service, text({ content: '# Outro' }), { headers }), 'key-reused');
    const [first, ...others] = await Promise.all([1, 2, 3, 4, 5].map(repeat));
    await refuse();
    await untilImported(service, first?.body.data.jobId);
    others.push(...(await Promise.all([1, 2, 3].map(repeat))));
    for (const again of others) expect(again.body.data).to.deep.equal(first?.body.data);
    await refuse();
    expect(await list()).to.have.length(1);
    expect(await db('document_uploads').select('id')).to.deep.equal([]);
  });

  it('are ordered while an earlier import of the same key stores its passages, and follow it', async () => {
    const first = await sendDocument(service, text({ external_key: 'guia' }));
    const { documentId, jobId: importId } = first.body.data;
    const next = await demo.inHost(async scope => {
      expect(await lockDocument(scope, { documentId, id: importId })).to.equal('current');
      const ordered = [1, 2].map(() => sendDocument(service, text({ external_key: 'guia' })));
      return Promise.all(ordered);
    });
    for (const { status, body } of next)
      expect([status, body.data.documentId]).to.deep.equal([202, documentId]);
    await untilImported(service, next[0]?.body.data.jobId);
    await demo.call('deleteDocument', { id: documentId });
  });

  it('of another tenant are not found, nor are their imports', async () => {
    const { jobId, documentId: id } = (await sendDocument(service, text())).body.data;
    const { acme } = service;
    expectRefused(await acme.call('findJob', { jobId }), 'job-not-found');
    expectRefused(await acme.call('deleteDocument', { id }), 'document-not-found');
    expect((await demo.call('deleteDocument', { id })).status).to.equal(200);
  });

  it('are never in the queue store, and leave no bytes behind', async () => {
    // Requests that were refused left theirs, for a while.
    await db('document_uploads').delete();
    const paragraph = `<p>${'Texto comprido do documento. '.repeat(300)}</p>`;
    // The queue store keeps bodies compressed: this one cannot be.
    const comment = `<!-- ${randomBytes(3 * 1_048_576).toString('base64')} -->`;
    const content = `${paragraph}${comment}`;
    const before = (await textOfStore(service.settings)).length;
    const ended = await load({ content, content_type: 'text/html' });
    expect(ended.code).to.equal(200);
    const stored = await textOfStore(service.settings);
    expect(stored.length - before).to.be.below(comment.length / 4);
    expect(await db('document_uploads')).to.deep.equal([]);
  });
});
