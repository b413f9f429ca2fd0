import { expect } from 'chai';
import { type Knowledge, knowledgeOf } from '../../bench/retrieval/knowledge.bench.ts';
import type { Db } from '../../db/connection.ts';
import { deleteChunk, insertChunk, updateChunk } from '../../db/knowledge/chunks.ts';
import { insertDataset, linkDataset } from '../../db/knowledge/datasets.ts';
import { migrate } from '../../db/migrate.ts';
import {
  claimDueTexts,
  type DueText,
  releaseTexts,
  storeEmbeddings,
} from '../../db/vectors/embeddings-due.ts';
import { migrateVectors } from '../../db/vectors/migrate-vectors.ts';
import { maintainNeighbourIndexes } from '../../db/vectors/neighbour-indexes.ts';
import { findNeighbours } from '../../db/vectors/neighbours.ts';
import { type HostScope, withHost } from '../../db/with-hosts.ts';
import { type BuiltHost, buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';
import { runIn, table } from '../support/statements.ts';
import { makeVectorDatabase } from './vector-store.ts';

const SPACE = 'model/3';
const LEASE_MS = 60_000;
type Vectors = Readonly<Record<string, readonly number[]>>;

describe('what is kept for vectors', () => {
  it('is not made where the server has no pgvector, and says why', async () => {
    const { db, drop } = await makeDatabase();
    expect(await migrateVectors(db)).to.equal('the server has no pgvector');
    expect(await db.schema.hasTable('chunk_embeddings')).to.equal(false);
    await drop();
  });

  describe('where there is pgvector', () => {
    const database = openOnce(makeVectorDatabase);
    let db: Db;
    let early: BuiltHost;
    let host: Knowledge;
    before(async () => {
      db = database.db;
      early = await buildHost(db);
      expect(await migrateVectors(db)).to.equal(undefined);
    });
    beforeEach(async () => {
      await undoForcing();
      await db('chunk_embeddings').delete();
      host = await knowledgeOf(db, []);
    });

    const inHost = <T>(work: (scope: HostScope) => Promise<T>) => withHost(db, host.hostId, work);
    const teach = (content: string, datasetId = host.datasetId) =>
      inHost(async scope => (await insertChunk(scope, { datasetId, content, tokenCount: 1 })) ?? '');
    const take = (most = 100, space = SPACE) => claimDueTexts(db, space, most, LEASE_MS);
    const textsOf = (due: readonly DueText[]) => due.map(({ text }) => text).toSorted();
    const store = (due: readonly DueText[], vectors: Vectors, space = SPACE) =>
      storeEmbeddings(
        db,
        space,
        due.map(text => ({ text, vector: vectors[text.text] ?? [1, 1, 1] })),
      );
    const find = (vector: readonly number[], more: object = {}) =>
      inHost(async scope => {
        const search = { avatarId: host.avatarId, filterTerms: {}, space: SPACE, vector, limit: 10, ...more };
        return (await findNeighbours(scope, search, 1_000)).map(({ body }) => body);
      });
    const animals: Vectors = { gato: [1, 0, 0], cachorro: [0.9, 0.1, 0], casa: [0, 0, 1] };
    const teachAnimals = async () => {
      for (const content of Object.keys(animals)) await teach(content);
      await store(await take(), animals);
    };

    it('is made once, also after there are chunks, which are due then', async () => {
      expect(await migrateVectors(db)).to.equal(undefined);
      expect(await db('knex_vector_migrations').pluck('name')).to.deep.equal(['0001-chunk-embeddings']);
      await db.raw(`drop table chunk_embeddings cascade; drop trigger note_text on chunks;
        drop trigger note_changed_text on chunks; drop function note_text; drop function text_hash_of;
        drop function neighbour_index_of; drop function indexed_vector_type; drop function chunk_neighbours;
        delete from knex_vector_migrations`);
      expect(await migrateVectors(db)).to.equal(undefined);
      expect(textsOf(await take())).to.include(`A secretaria de ${early.slug} abre às 8h.`);
    });

    it('finds chunks again after a release when a restore has lost its functions', async () => {
      await teachAnimals();
      await db.raw('drop function chunk_neighbours');
      await migrate(db);
      expect((await find([1, 0, 0]))[0]).to.equal('gato');
    });

    it('is due from the transaction that writes a text, once, until its time is up', async () => {
      await teach('gato');
      expect(textsOf(await take())).to.deep.equal(['gato']);
      expect(await take()).to.deep.equal([]);
      await db('chunk_embeddings').update({ due_at: db.raw('now()') });
      expect(textsOf(await take())).to.deep.equal(['gato']);
    });

    it('is not due any more once it is stored, but for another model', async () => {
      await teachAnimals();
      await db('chunk_embeddings').update({ due_at: db.raw('now()') });
      expect(await take()).to.deep.equal([]);
      expect(await take(100, 'another/3')).to.have.length(3);
      await db('chunk_embeddings').update({ due_at: db.raw('now()') });
      expect(await take(2, 'zeta/3')).to.have.length(2);
    });

    it('is due anew when the text changes, and nothing of the old one is found or stored', async () => {
      const id = await teach('gato');
      await store(await take(), animals);
      await inHost(scope => updateChunk(scope, id, { content: 'casa', tokenCount: 1 }));
      expect(await find([1, 0, 0])).to.deep.equal([]);
      const late = await take();
      await inHost(scope => updateChunk(scope, id, { content: 'cachorro', tokenCount: 1 }));
      await store(late, animals);
      expect(await find([0, 0, 1])).to.deep.equal([]);
      expect(textsOf(await take())).to.deep.equal(['cachorro']);
    });

    it('is kept when a write leaves the text as it is', async () => {
      const id = await teach('gato');
      await store(await take(), animals);
      await inHost(scope => updateChunk(scope, id, { content: 'gato', tokenCount: 2 }));
      expect(await take()).to.deep.equal([]);
      expect(await find([1, 0, 0])).to.deep.equal(['gato']);
    });

    it('goes with the chunk', async () => {
      const id = await teach('gato');
      await store(await take(), animals);
      await inHost(scope => deleteChunk(scope, id));
      expect(await db('chunk_embeddings')).to.deep.equal([]);
    });

    it('given back is due at its time, and tells how often it was refused', async () => {
      await teach('gato');
      const due = await take();
      await releaseTexts(db, due, { afterMs: 0, isRefused: true });
      const [again] = await take();
      expect(again?.refusals).to.equal(1);
      await releaseTexts(db, again ? [again] : [], { afterMs: LEASE_MS, isRefused: false });
      expect(await take()).to.deep.equal([]);
    });

    it('finds what is nearest first, and no more than is asked for', async () => {
      await teachAnimals();
      expect(await find([1, 0, 0])).to.deep.equal(['gato', 'cachorro', 'casa']);
      expect(await find([0, 0, 2], { limit: 1 })).to.deep.equal(['casa']);
    });

    it('compares nothing with vectors of another model or length', async () => {
      await teachAnimals();
      expect(await find([1, 0, 0], { space: 'another/3' })).to.deep.equal([]);
      expect(await find([1, 0], { space: 'model/2' })).to.deep.equal([]);
    });

    it('never finds a text by the vector of another, even where nobody noted the change', async () => {
      const id = await teach('gato');
      await store(await take(), animals);
      await db.raw('alter table chunks disable trigger note_changed_text');
      await db('chunks').where({ id }).update({ content: 'casa' });
      await db.raw('alter table chunks enable trigger note_changed_text');
      expect(await find([1, 0, 0])).to.deep.equal([]);
    });

    const ofHost = (table: string) => db(table).where({ host_id: host.hostId });
    const hidings: readonly [why: string, hide: () => PromiseLike<unknown>][] = [
      ['the chunk is deleted', () => ofHost('chunks').update({ deleted: true })],
      ['the dataset is deleted', () => ofHost('datasets').update({ deleted: true })],
      ['the dataset is hidden', () => ofHost('datasets').update({ visible: false })],
      ['the dataset has expired', () => ofHost('datasets').update({ expires: db.raw('now()') })],
      ['the link is deleted', () => ofHost('dataset_avatars').update({ deleted: true })],
      ['the link is hidden', () => ofHost('dataset_avatars').update({ visible: false })],
      ['there is no link', () => ofHost('dataset_avatars').delete()],
    ];
    for (const [why, hide] of hidings) {
      for (const isIndexed of [false, true]) {
        it(`finds nothing when ${why}${isIndexed ? ', with an index' : ''}`, async () => {
          await teachAnimals();
          if (isIndexed) await forceIndex();
          expect(await find([1, 0, 0])).to.have.length(3);
          await hide();
          expect(await find([1, 0, 0])).to.deep.equal([]);
        });
      }
    }

    it('cuts by the filter before anything is bounded, and where the turn has no value finds nothing', async () => {
      const dataset = await inHost(scope => insertDataset(scope, { name: 'Filtrado', type: 'filtered_rag' }));
      await inHost(scope => linkDataset(scope, { datasetId: dataset.id, avatarId: host.avatarId }));
      for (const curso of ['direito', 'medicina']) {
        const chunk = {
          datasetId: dataset.id,
          content: `gato de ${curso}`,
          filter: { curso: [curso] },
          tokenCount: 1,
        };
        await inHost(scope => insertChunk(scope, chunk));
      }
      const due = await take();
      expect(textsOf(due)).to.deep.equal(['gato de direito', 'gato de medicina']);
      await store(due, { 'gato de direito': [1, 0, 0], 'gato de medicina': [0.9, 0.1, 0] });
      for (const index of [false, true]) {
        if (index) await forceIndex();
        expect(await find([1, 0, 0], { filterTerms: { curso: ['medicina'] }, limit: 1 })).to.deep.equal([
          'gato de medicina',
        ]);
        expect(await find([1, 0, 0])).to.deep.equal([]);
        expect(await find([1, 0, 0], { filterTerms: 'unfiltered' })).to.have.length(2);
      }
    });

    it('finds nothing of another host, whatever ids are given', async () => {
      await teachAnimals();
      const other = await buildHost(db);
      await store(await take(), animals);
      const search = { filterTerms: {}, space: SPACE, vector: [1, 0, 0], limit: 10 };
      for (const avatarId of [host.avatarId, other.avatarId]) {
        const found = await other.inHost(scope =>
          findNeighbours(scope, { ...search, avatarId, datasetIds: [host.datasetId] }, 1_000),
        );
        expect(found).to.deep.equal([]);
      }
      const smuggled = inHost(scope =>
        runIn(
          scope.tx,
          table.raw(`select * from chunk_neighbours(?, ?, null, '{}', ?, '[1,0,0]', 10)`, [
            other.hostId,
            other.avatarId,
            SPACE,
          ]),
        ),
      );
      expect(await smuggled).to.deep.equal([]);
      const seen = await other.inHost(scope => runIn(scope.tx, table('chunk_embeddings').select('host_id')));
      expect([...new Set(seen.map(row => row.host_id))]).to.deep.equal([other.hostId]);
    });

    it('has an index for a host with much of it, in place of one half-built, and drops what is of no use', async () => {
      await teachAnimals();
      const keep = (space = SPACE, from = 3) =>
        maintainNeighbourIndexes(database.url, space, new AbortController().signal, from);
      await keep(SPACE, 4);
      expect(await indexes()).to.deep.equal([]);
      await keep();
      const [first] = await indexes();
      expect(first).to.include({ isValid: true });
      await db.raw(`update pg_index set indisvalid = false where indexrelid = '${first?.name}'::regclass`);
      await keep();
      expect(await indexes()).to.deep.equal([{ name: first?.name, isValid: true }]);
      await db('chunk_embeddings').update({ space: 'other/3' });
      await keep('other/3');
      const [second, ...more] = await indexes();
      expect(second?.name).to.not.equal(first?.name);
      expect(more).to.deep.equal([]);
    });

    async function indexes(): Promise<{ name: string; isValid: boolean }[]> {
      const { rows } = await db.raw(`
        select indexrelid::regclass::text as name, indisvalid as "isValid" from pg_index
        where indexrelid::regclass::text like 'chunk_neighbours%'`);
      return rows;
    }

    /** Simulates a large host, whose index is used: the estimated size decides. */
    async function forceIndex(): Promise<void> {
      await maintainNeighbourIndexes(database.url, SPACE, new AbortController().signal, 1);
      await db.raw(`alter function chunk_count(uuid, uuid[]) rename to chunk_count_kept;
        create function chunk_count(uuid, uuid[]) returns bigint language sql return 1000000`);
    }

    async function undoForcing(): Promise<void> {
      for (const { name } of await indexes()) await db.raw(`drop index ${name}`);
      const { rows } = await db.raw(`select to_regprocedure('chunk_count_kept(uuid, uuid[])') as kept`);
      if (!rows[0].kept) return;
      await db.raw(`drop function chunk_count(uuid, uuid[]);
        alter function chunk_count_kept(uuid, uuid[]) rename to chunk_count`);
    }
  });
});
