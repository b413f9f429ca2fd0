import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { setHost } from '../../db/hosts/hosts.ts';
import { expectRefused, expectWrong } from '../support/contract.ts';
import { importAndWait } from '../support/imports.ts';
import { openEach } from '../support/opened.ts';
import type { Fields } from '../support/operation-calls.ts';
import { type CallOptions, openService } from '../support/service.ts';
import { readStoredRows } from '../support/stored-rows.ts';

const content = 'A secretaria abre às 8h.';

describe('chunks', () => {
  const service = openService();
  const host = openEach(() => service.addHost());
  let datasetId: string;
  beforeEach(async () => {
    datasetId = await newDataset();
  });

  const newDataset = async (datasetType = 'common_rag'): Promise<string> => {
    const wanted = { datasetName: 'Manual', datasetType, avatarIds: [host.avatarId] };
    return (await host.call('createDataset', wanted)).body.data.id;
  };
  const create = (more: Fields = {}, options: CallOptions = {}) =>
    host.call('createChunk', { dataset_id: datasetId, content, ...more }, options);
  const edit = (id: string, more: Fields = {}, options: CallOptions = {}) =>
    host.call('editChunk', { id, dataset_id: datasetId, content, ...more }, options);
  const read = async (more: Fields = {}) =>
    (await host.call('readChunks', { avatar_id: host.avatarId, dataset_ids: [datasetId], ...more })).body
      .data;
  const allow = (chunkSizeLimit: number) => setHost(service.db, host.slug, { chunkSizeLimit });
  const stored = (id: string) => service.db('chunks').where({ id }).first();

  it('are made in the dataset that is named, alone or in a list, and can be read from then on', async () => {
    for (const dataset_id of [datasetId, [datasetId], datasetId.toUpperCase()]) {
      const { status, body } = await create({ dataset_id });
      expect([status, body.message]).to.deep.equal([201, 'Created']);
      const { chunk_id, ...rest } = body.data;
      expect(rest).to.deep.equal({ content, dataset_id: datasetId, host_id: host.hostId });
      const found: Fields[] = await read({ question: 'Quando abre a secretaria?' });
      expect(found.map(each => each['chunk_id'])).to.include(chunk_id);
    }
    expect(await read()).to.have.length(3);
  });

  it('are read only while they are valid: a date begins and ends with its day at the host', async () => {
    await setHost(service.db, host.slug, { timeZone: 'America/Manaus' });
    const { body } = await create({ valid_from: '2026-03-02', valid_until: '2026-12-31' });
    const ends = { valid_from: '2026-03-02T04:00:00.000Z', valid_until: '2027-01-01T04:00:00.000Z' };
    expect(body.data).to.include(ends);
    const id = body.data.chunk_id;
    const listed = () => read({ include_not_valid: true });
    const ways = [
      { valid_until: '2020-01-01T00:00Z', valid_from: null },
      { valid_until: null, valid_from: '2999-01-01' },
    ];
    for (const change of ways) {
      expect((await edit(id, { content: undefined, ...change })).status).to.equal(200);
      expect(await read()).to.deep.equal([]);
      expect(await read({ question: 'Quando abre a secretaria?' })).to.deep.equal([]);
      expect((await listed())[0]).to.include({ chunk_id: id, not_valid: true });
    }
    expect((await edit(id, { valid_from: null })).body.data).not.to.have.any.keys(
      'valid_from',
      'valid_until',
    );
    const again: Fields[] = await read({ question: 'Quando abre a secretaria?' });
    expect(again.map(each => each['chunk_id'])).to.deep.equal([id]);
    expect((await listed())[0]).not.to.have.property('not_valid');
  });

  it('are refused with an end of their validity that comes before its beginning, also the one that is stored', async () => {
    expectWrong(await create({ valid_from: '2026-03-02', valid_until: '2026-03-01' }), 'valid_until');
    const { body } = await create({ valid_from: '2026-03-02' });
    expectWrong(await edit(body.data.chunk_id, { valid_until: '2026-03-01' }), 'valid_until');
    expectWrong(await create({ valid_until: '2026-02-30' }), 'valid_until');
  });

  it('are answered in the same form however long they are', async () => {
    const long = 'A secretaria abre às 8h. '.repeat(4_000);
    await allow(200_000);
    const [short, whole] = [await create(), await create({ content: long })];
    expect([whole.status, whole.body.message]).to.deep.equal([short.status, short.body.message]);
    expect(Object.keys(whole.body)).to.deep.equal(Object.keys(short.body));
    expect(whole.body.data.content).to.equal(long);
    expect(whole.headers.get('content-type')).to.equal(short.headers.get('content-type'));
  });

  it('are not made in two datasets, in none, or in one that is unknown or deleted', async () => {
    const before = await readStoredRows(service.db);
    for (const dataset_id of [[datasetId, datasetId], [], 'x', null])
      expectWrong(await create({ dataset_id }), 'dataset_id');
    expectWrong(await create({ dataset_id: ['x'] }), 'dataset_id[0]');
    expectRefused(await create({ dataset_id: randomUUID() }), 'dataset-not-found');
    expect(await readStoredRows(service.db)).to.deep.equal(before);
    await host.call('editDataset', { id: datasetId, deleted: true });
    expectRefused(await create(), 'dataset-not-found');
  });

  it('hold as many characters as the host allows, whatever they are, and some text', async () => {
    await allow(40);
    expect((await create({ content: '🎓'.repeat(40) })).status).to.equal(201);
    const { chunk_id } = (await create()).body.data;
    for (const long of ['🎓'.repeat(41), 'á'.repeat(41), 'x'.repeat(100_000)])
      for (const answer of [await create({ content: long }), await edit(chunk_id, { content: long })])
        expectWrong(answer, 'content', 'at most 40 characters');
    for (const empty of ['', ' \n\t']) expectWrong(await create({ content: empty }), 'content', /./);
    expect((await stored(chunk_id)).content).to.equal(content);
  });

  it('have at most as many different words as an index holds of one, also from a document', async () => {
    const words = (count: number) => Array.from({ length: count }, (_, at) => `palavra${at}`).join(' ');
    const [most, tooMany] = [words(40_000), words(75_000)];
    await allow(1_000_000);
    const { chunk_id } = (await create()).body.data;
    for (const answer of [await create({ content: tooMany }), await edit(chunk_id, { content: tooMany })])
      expectWrong(answer, 'content', '1 MiB of different words');
    const document = { dataset_id: datasetId, name: 'Lista', content_type: 'text/plain', content: tooMany };
    expect((await importAndWait({ db: service.db, demo: host }, document)).data?.passages).to.be.above(10);
    expect((await create({ content: most })).status).to.equal(201);
  });

  it('are counted in tokens, text that looks like the model’s own marks and endless words too', async () => {
    for (const [text, tokens] of [
      ['A secretaria abre às 8h.', 8],
      ['<|endoftext|>', 7],
      ['á'.repeat(8_000), 8_000],
    ] as const) {
      const { chunk_id } = (await create({ content: text })).body.data;
      expect((await stored(chunk_id)).token_count, text.slice(0, 20)).to.equal(tokens);
    }
  });

  it('are made once for one Idempotency-Key', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const asked = await Promise.all([1, 2, 3].map(() => create({}, { headers })));
    expect(new Set(asked.map(({ body }) => body.data.chunk_id))).to.have.property('size', 1);
    expect(await read()).to.have.length(1);
  });

  it('change in their text, their count and their writer, and stay in their dataset', async () => {
    const { chunk_id } = (await create()).body.data;
    const token = await service.makeToken({ hostIds: [host.hostId], name: 'CMS' });
    const changed = 'A biblioteca abre às 7h30 e fecha às 22h.';
    const { status, body } = await edit(chunk_id, { content: changed, dataset_id: [datasetId] }, { token });
    const data = { chunk_id, content: changed, dataset_id: datasetId, host_id: host.hostId };
    expect([status, body.data]).to.deep.equal([200, data]);
    const [entry] = await read();
    expect(entry).to.include({ content: changed, user_name: 'CMS', token_count: 15 });
    expect(await read({ question: 'biblioteca' })).to.have.length(1);
    expect(await read({ question: 'secretaria' })).to.deep.equal([]);
  });

  it('are not moved to another dataset, known or not', async () => {
    const { chunk_id } = (await create()).body.data;
    const other = await newDataset();
    const before = await readStoredRows(service.db);
    for (const dataset_id of [other, [other], randomUUID()])
      expectWrong(await edit(chunk_id, { dataset_id, content: 'x' }), 'dataset_id', 'the dataset that');
    expect(await readStoredRows(service.db)).to.deep.equal(before);
  });

  it('need a content when they are changed, and the answer to that says nothing of removing', async () => {
    const { chunk_id } = (await create()).body.data;
    const before = await readStoredRows(service.db);
    for (const deleted of [undefined, false])
      expectWrong(await edit(chunk_id, { deleted, content: undefined }), 'content', 'is required unless');
    expect(await readStoredRows(service.db)).to.deep.equal(before);
    expect((await edit(chunk_id, { deleted: false })).body.data).to.not.have.property('deleted');
  });

  it('are gone when they were removed, and cannot be changed any more', async () => {
    const { chunk_id } = (await create()).body.data;
    const { status, body } = await edit(chunk_id, { deleted: true, content: undefined });
    const entry = { chunk_id, content, dataset_id: datasetId, host_id: host.hostId, deleted: true };
    expect([status, body.data]).to.deep.equal([200, entry]);
    for (const question of [undefined, 'secretaria']) expect(await read({ question })).to.deep.equal([]);
    for (const deleted of [true, false]) expectRefused(await edit(chunk_id, { deleted }), 'chunk-not-found');
    expectRefused(await edit(randomUUID()), 'chunk-not-found');
  });

  describe('with a filter', () => {
    const filter = { campus: ['São Paulo', 'Santos'], turno: 'Noite' };
    const kept = { campus: ['sao paulo', 'santos'], turno: ['noite'] };
    const head = '---\ncampus: São Paulo, Santos\nturno: Noite\n---\n';

    it('show it, are searched without it, and keep it until something else is said', async () => {
      for (const type of ['filtered_rag', 'common_rag'])
        for (const sent of [{ content, filter }, { content: `${head}${content}` }]) {
          datasetId = await newDataset(type);
          const { data } = (await create(sent)).body;
          expect(data).to.deep.include({ content, filter: kept });
          const [listed] = await read();
          expect(listed).to.deep.include({ content, filter: kept });
          expect(await read({ question: 'campus Santos' })).to.deep.equal([]);
          const { chunk_id } = data;
          const edited = async (more: Record<string, unknown>) => {
            const answer = await edit(chunk_id, more);
            expect(answer.status).to.equal(200);
            return [answer.body.data.filter, (await read())[0]?.filter];
          };
          expect(await edited({ content: 'Outro texto.' })).to.deep.equal([kept, kept]);
          const other = { curso: ['letras'] };
          expect(await edited({ content: '---\ncurso: Letras\n---\nTexto' })).to.deep.equal([other, other]);
          expect(await edited({ content: 'Texto', filter: {} })).to.deep.equal([undefined, undefined]);
        }
    });

    it('that is wrong or given twice are refused, and nothing changes', async () => {
      const { chunk_id } = (await create({ filter })).body.data;
      const before = await readStoredRows(service.db);
      const keys = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`k${at}`, 'v']));
      const wrong: [sent: Fields, why: string, path?: string][] = [
        [{ content: `${head}Texto`, filter }, 'is given twice'],
        [{ filter: { campus: '\u0301' } }, 'must have a value for campus'],
        [{ filter: { campus: [] } }, '', 'filter.campus'],
        [{ filter: { campus: 7 } }, '', 'filter.campus'],
        [{ filter: 'campus' }, ''],
        [{ filter: keys }, ''],
      ];
      for (const [sent, why, path = 'filter'] of wrong) {
        for (const answer of [await create(sent), await edit(chunk_id, sent)]) expectWrong(answer, path, why);
      }
      expect(await readStoredRows(service.db)).to.deep.equal(before);
    });

    it('that is doubtful are refused in a filtered dataset, with its line, unless the filter is given', async () => {
      datasetId = await newDataset('filtered_rag');
      for (const [doubtful, line] of [
        ['---\ncampus: a\nturno\n---\nx', 3],
        ['---\ncampus: a\nx', 1],
        ['———\ncampus: a\n———\nx', 1],
        ['—\ncampus: a\n—\nx', 1],
        ['```yaml\n---\ncampus: a\n---\n```\nx', 2],
        ['\n+++\ncampus = "a"\n+++\nx', 2],
      ] as const) {
        const { chunk_id } = (await create({ content })).body.data;
        const given = { content: doubtful };
        for (const answer of [await create(given), await edit(chunk_id, given)])
          expectWrong(answer, 'content', new RegExp(`^line ${line}: .*\`filter\` takes the same$`));
        const { data } = (await create({ content: doubtful, filter })).body;
        expect(data).to.deep.include({ content: doubtful, filter: kept });
      }
    });

    it('that is doubtful are plain text in a common dataset', async () => {
      const rule = '---\nA biblioteca abre às 7h.\n---\nE fecha às 22h.';
      const { data } = (await create({ content: rule })).body;
      expect(data).to.deep.include({ content: rule }).and.not.have.property('filter');
    });
  });
});
