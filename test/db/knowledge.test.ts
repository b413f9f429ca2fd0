import { expect } from 'chai';
import * as fc from 'fast-check';
import { findAvatar, insertAvatar, listAvatars } from '../../db/assistants/avatars.ts';
import { findKnownWords } from '../../db/knowledge/chunk-search.ts';
import { insertChunk, insertChunks } from '../../db/knowledge/chunks.ts';
import { insertDataset, linkDataset } from '../../db/knowledge/datasets.ts';
import { endValidity } from '../../db/knowledge/validity.ts';
import { rowsOf, sql } from '../../db/rows-of.ts';
import { type HostScope } from '../../db/with-hosts.ts';
import { anyCharacter } from '../support/any-character.ts';
import { buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { openEach, openOnce } from '../support/opened.ts';
import { runIn, table } from '../support/statements.ts';
import { searchChunks } from './search-chunks.ts';

/** Rows of chunks and entries of their indexes that this transaction has read. */
const rowsRead = sql`(
  select sum(pg_stat_get_xact_tuples_returned(oid)) from pg_class
  where oid = 'chunks'::regclass or oid in (select indexrelid from pg_index where indrelid = 'chunks'::regclass))`;

const soon = new Date('2999-01-01T00:00:00Z');

describe('knowledge', () => {
  const { db } = openOnce(makeDatabase);
  const host = openEach(() => buildHost(db));
  const other = openOnce(() => buildHost(db));

  const { inHost } = host;
  const search = (query: string, limit = 5) =>
    inHost(scope => searchChunks(scope, { avatarId: host.avatarId, query, filterTerms: {}, limit }));
  const teach = (content: string) =>
    inHost(scope => insertChunk(scope, { datasetId: host.datasetId, content, tokenCount: 1 }));
  const contents = async (query: string) => (await search(query)).map(chunk => chunk.body);
  const ofHost = (table: string) => db(table).where({ host_id: host.hostId });

  it('is found as soon as it is written, with all that a turn needs of it', async () => {
    const [found] = await search('Quando abre a secretaria?');
    const { chunkId, datasetId, slug } = host;
    expect(found).to.include({ chunkId, datasetId, datasetName: 'Manual', datasetType: 'common_rag' });
    expect(found).to.include({ body: `A secretaria de ${slug} abre às 8h.`, tokenCount: 9 });
    expect(found?.score).to.be.greaterThan(0);
  });

  const hidings: readonly [why: string, hide: () => PromiseLike<unknown>][] = [
    ['the chunk is deleted', () => ofHost('chunks').update({ deleted: true })],
    ['the chunk is valid no more', () => ofHost('chunks').update({ valid_until: db.raw('now()') })],
    ['the chunk is not valid yet', () => ofHost('chunks').update({ valid_from: soon })],
    ['the dataset is deleted', () => ofHost('datasets').update({ deleted: true })],
    ['the dataset is hidden', () => ofHost('datasets').update({ visible: false })],
    ['the dataset has expired', () => ofHost('datasets').update({ expires: db.raw('now()') })],
    ['the link is deleted', () => ofHost('dataset_avatars').update({ deleted: true })],
    ['the link is hidden', () => ofHost('dataset_avatars').update({ visible: false })],
    ['there is no link', () => ofHost('dataset_avatars').delete()],
  ];
  for (const [why, hide] of hidings) {
    it(`is not readable when ${why}`, async () => {
      await ofHost('datasets').update({ expires: soon });
      expect(await inHost(scope => runIn(scope.tx, table('readable_chunks')))).to.have.length(2);
      await hide();
      expect(await inHost(scope => runIn(scope.tx, table('readable_chunks')))).to.eql([]);
      expect(await search('secretaria')).to.eql([]);
    });
  }

  it('has no words, for their spelling and rarity either, in chunks that are not valid', async () => {
    const id = await teach('O bicicletário fica no pátio.');
    const stemsOf = async () =>
      (
        await inHost(scope =>
          findKnownWords(
            scope,
            { avatarId: host.avatarId, filterTerms: {} },
            ['bicicletario', 'bicicletarja'],
            2,
          ),
        )
      ).stems;
    expect(await stemsOf()).to.have.length(2);
    await inHost(scope => endValidity(scope, id ?? '', new Date(0)));
    expect(await stemsOf()).to.eql([]);
  });

  it('is not displaced by any number of chunks that are not valid', async () => {
    const texts = Array.from({ length: 450 }, (_, at) => ({
      content: `A rematrícula ${at} abre.`,
      tokenCount: 1,
    }));
    const place = { datasetId: host.datasetId, validity: { until: new Date(0) } };
    await inHost(scope => insertChunks(scope, place, texts));
    await teach('A rematrícula vai até 20 de janeiro.');
    expect(await contents('rematrícula')).to.eql(['A rematrícula vai até 20 de janeiro.']);
  });

  it('is read by the avatars it is linked to and by no others', async () => {
    const avatar = await inHost(scope => insertAvatar(scope, { sub_slug: 'second', avatar_name: 'Bia' }));
    const avatarId = avatar?.avatar_id ?? '';
    const asked = { avatarId, query: 'secretaria', filterTerms: {}, limit: 5 };
    expect(await inHost(scope => searchChunks(scope, asked))).to.eql([]);
    const link = { datasetId: host.datasetId, avatarId };
    const first = await inHost(scope => linkDataset(scope, link));
    expect(await inHost(scope => linkDataset(scope, link))).to.eql(first);
    expect(await inHost(scope => searchChunks(scope, asked))).to.have.length(1);
  });

  it('is found by any of the words, in any case and with or without accents', async () => {
    await teach('A rematrícula vai até 20 de janeiro.');
    for (const query of [
      'REMATRICULA',
      'rematrículas do campus lunar',
      'qual a data-limite da rematrícula?',
    ]) {
      expect(await contents(query), query).to.eql(['A rematrícula vai até 20 de janeiro.']);
    }
  });

  it('is ranked by how well it fits, best first, and no more of it than is asked for', async () => {
    await teach('O boleto vence no dia 8. A biblioteca não emite boleto nem recebe pagamentos em dinheiro.');
    await teach('Segunda via do boleto: Portal do Aluno, menu Financeiro.');
    await teach('A biblioteca abre às 7h30.');
    const found = await search('segunda via do boleto', 2);
    expect(found.map(chunk => chunk.body.slice(0, 11))).to.eql(['Segunda via', 'O boleto ve']);
    expect(found[0]?.score).to.be.greaterThan(found[1]?.score ?? 1);
  });

  it('is found in spite of a misspelling when no word is right', async () => {
    await teach('O estacionamento do campus é gratuito para alunos.');
    expect(await contents('estacionameto')).to.eql(['O estacionamento do campus é gratuito para alunos.']);
    expect(await contents('xyzzy')).to.eql([]);
  });

  it('is found by words that are written by ear, cut, or run together', async () => {
    const told = {
      history: 'O histórico leva cinco dias úteis.',
      pause: 'O trancamento é pedido na secretaria.',
      ceremony: 'A colação de grau é gratuita.',
      copy: 'A segunda via do boleto sai no portal.',
      books: 'A biblioteca abre às 8h e empresta três livros.',
    };
    for (const content of Object.values(told)) await teach(content);
    const typed: Readonly<Record<keyof typeof told, string>> = {
      history: 'istorico ystoriku histori hist',
      pause: 'trankamento trancarr tranquei trankei tranca',
      ceremony: 'colasao kolassaum colacaodegrau',
      copy: 'segundavia boletovencido buleto portaldoboleto',
      books: 'bibliotequa bibriotéca biblio livrus',
    };
    for (const [name, words] of Object.entries(typed))
      for (const word of words.split(' '))
        expect((await contents(word))[0], word).to.equal(told[name as keyof typeof told]);
    expect(await contents('zzyzx')).to.eql([]);
  });

  it('is counted without reading all of it, on a connection that planned the count while there was little', () =>
    db.transaction(async tx => {
      const { hostId } = host;
      const { id: datasetId } = await insertDataset({ tx, hostId }, { name: 'Novo' });
      const count = async () => {
        const [counted] = await rowsOf<{ count: string; read: string }>(tx)`
          with before as materialized (select ${rowsRead} as read),
            counted as materialized (
              select chunk_count(${hostId}, array[${datasetId}]::uuid[]) as count from before)
          select count, ${rowsRead} - read as read from counted cross join before`;
        return { count: Number(counted?.count), read: Number(counted?.read) };
      };
      await tx.raw('analyze chunks');
      expect(await count()).to.deep.equal({ count: 0, read: 0 });
      await rowsOf(tx)`
        insert into chunks (host_id, id, dataset_id, content, token_count)
        select ${hostId}, overlay(gen_random_uuid()::text placing case when at <= 20 then '00' else '01' end from 35)::uuid,
          ${datasetId}, 'texto', 1 from generate_series(1, 1000) at`;
      expect(await count()).to.deep.equal({ count: 20 * 256, read: 20 });
    }));

  it('may be asked for with any text at all', async () => {
    const odd = ["'", '\\', "\\'", '|&!():*', '<->', '', ' ', '\0', '\ud800', 'a'.repeat(20_000), 'de a o'];
    for (const query of odd) expect(await search(query), query.slice(0, 9)).to.be.an('array');
    const address = "https://uni.example/aluno's?a='b";
    await teach(`Veja ${address} para saber.`);
    expect(await contents(address)).to.eql([`Veja ${address} para saber.`]);
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: anyCharacter }), async query => Array.isArray(await search(query))),
      { numRuns: 100 },
    );
  });

  it('of another host cannot be linked, written to or read', async () => {
    const { datasetId, avatarId } = other;
    const write = (scope: HostScope) => insertChunk(scope, { datasetId, content: 'x', tokenCount: 1 });
    const mine = { datasetId: host.datasetId, avatarId: host.avatarId };
    expect(await inHost(write)).to.equal(undefined);
    expect(await inHost(scope => linkDataset(scope, { ...mine, datasetId }))).to.equal(undefined);
    expect(await inHost(scope => linkDataset(scope, { ...mine, avatarId }))).to.equal(undefined);
    const read = { avatarId, query: 'secretaria', filterTerms: {}, limit: 5 };
    expect(await inHost(scope => searchChunks(scope, read))).to.eql([]);
  });

  it('is listed by avatar, the default one first, without what is deleted', async () => {
    await inHost(scope => insertAvatar(scope, { sub_slug: 'aaa', avatar_name: 'Bia' }));
    const taken = inHost(scope => insertAvatar(scope, { sub_slug: 'aaa', avatar_name: 'Eva' }));
    expect(await taken).to.equal(undefined);
    const gone = await inHost(scope => insertDataset(scope, { name: 'Gone', type: 'filtered_rag' }));
    await inHost(scope => linkDataset(scope, { datasetId: gone.id, avatarId: host.avatarId }));
    await ofHost('datasets').where({ id: gone.id }).update({ deleted: true });
    const avatars = await inHost(listAvatars);
    expect(avatars.map(({ sub_slug, datasets }) => [sub_slug, datasets])).to.eql([
      ['main', [{ dataset_id: host.datasetId, dataset_name: 'Manual', expires: '2100-01-01T00:00:00.000Z' }]],
      ['aaa', []],
    ]);
  });

  it('answers through the oldest avatar unless another is named', async () => {
    await inHost(scope => insertAvatar(scope, { sub_slug: 'aaa', avatar_name: 'Bia' }));
    expect((await inHost(scope => findAvatar(scope)))?.sub_slug).to.equal('main');
    expect((await inHost(scope => findAvatar(scope, 'aaa')))?.avatar_name).to.equal('Bia');
    expect(await inHost(scope => findAvatar(scope, 'no\0ne'))).to.equal(undefined);
  });
});
