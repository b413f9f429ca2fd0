import { expect } from 'chai';
import { pino } from 'pino';
import { type Knowledge, knowledgeOf } from '../../bench/retrieval/knowledge.bench.ts';
import { insertChunk } from '../../db/knowledge/chunks.ts';
import { migrateVectors } from '../../db/vectors/migrate-vectors.ts';
import { withHost } from '../../db/with-hosts.ts';
import { makeEmbedder } from '../../workers/model/embedder.ts';
import { makeOpenAiProvider } from '../../workers/model/openai.ts';
import { runEmbeddings } from '../../workers/retrieval/run-embeddings.ts';
import { makeVectorDatabase } from '../db/vector-store.ts';
import { eventually } from '../support/eventually.ts';
import { noLedger } from '../support/no-ledger.ts';
import { openOnce } from '../support/opened.ts';
import {
  type EmbeddingScript,
  embed,
  refuse,
  type ScriptedModel,
  startScriptedModel,
} from '../support/scripted-model.ts';

const usual = embed(text => [text.length, 1]);
const PROBE = 'conhecimento';

describe('knowledge that is embedded beside all else', () => {
  const database = openOnce(makeVectorDatabase);
  const { db } = database;
  let knowledge: Knowledge;
  let model: ScriptedModel;
  let tasks: { close(): Promise<void> }[];
  let logged: string[];
  before(() => migrateVectors(db));
  beforeEach(async () => {
    await db('chunk_embeddings').delete();
    knowledge = await knowledgeOf(db, []);
    model = await startScriptedModel();
    model.onEmbeddings = usual;
    tasks = [];
    logged = [];
  });
  afterEach(async () => {
    await Promise.all(tasks.map(task => task.close()));
    await model.close();
  });

  const start = (name = 'model') => {
    const provider = makeOpenAiProvider('openai', { baseURL: model.baseURL });
    const embedder = makeEmbedder(name, { providerOf: async () => provider }, () => {}, noLedger);
    const log = pino({}, { write: line => void logged.push(line) });
    const { db, url: databaseUrl } = database;
    const closing = new AbortController();
    const ended = runEmbeddings({ db, databaseUrl, embedder, log, pollMs: 50 }, closing.signal);
    const task = {
      async close() {
        closing.abort();
        await ended;
      },
    };
    tasks.push(task);
    return task;
  };
  const teach = (...contents: readonly string[]) =>
    withHost(db, knowledge.hostId, async scope => {
      const { datasetId } = knowledge;
      for (const content of contents) await insertChunk(scope, { datasetId, content, tokenCount: 1 });
    });
  const spaces = () => db('chunk_embeddings').pluck('space');
  const allIn = (space: string) =>
    eventually(spaces, seen => seen.length > 0 && seen.every(each => each === space));
  const asked = () => model.embeddingRequests.flatMap(({ input }) => input).filter(text => text !== PROBE);
  const names = (count: number) => Array.from({ length: count }, (_, at) => `texto ${at}`);
  const textsStored = async () => {
    const { rows } = await db.raw(`
      select content from chunk_embeddings join chunks on chunks.id = chunk_id where space <> '' order by 1`);
    return rows.map(({ content }: { content: string }) => content);
  };

  it('is sent once, several at a time, by however many workers', async () => {
    const texts = names(200);
    await teach(...texts);
    start();
    start();
    start();
    await allIn('model/2');
    expect(asked().toSorted()).to.deep.equal(texts.toSorted());
    expect(Math.max(...model.embeddingRequests.map(({ input }) => input.length))).to.equal(64);
    expect(logged).to.deep.equal([]);
  });

  it('is sent in as many texts at a time as an answer has room for their vectors', async () => {
    model.onEmbeddings = embed(text => Array.from({ length: 4_096 }, (_, at) => -1 / (at + text.length + 3)));
    const texts = names(70);
    await teach(...texts);
    start();
    await allIn('model/4096');
    expect(asked().toSorted()).to.deep.equal(texts.toSorted());
    expect(logged).to.deep.equal([]);
  });

  it('is embedded soon after it is written', async () => {
    start();
    await teach('um');
    await allIn('model/2');
    await teach('dois');
    await allIn('model/2');
  });

  it('is embedded anew for another model, or one with more numbers', async () => {
    await teach(...names(3));
    await start().close();
    const first = start();
    await allIn('model/2');
    await first.close();
    await passTime();
    const other = start('another');
    await allIn('another/2');
    await other.close();
    await passTime();
    model.onEmbeddings = embed(() => [1, 2, 3]);
    start('another');
    await allIn('another/3');
  });

  it('is held up by none that the model refuses; of a long one half has to do', async () => {
    const long = 'longo'.repeat(100);
    const unheard = 'nunca';
    model.onEmbeddings = (request, response) => {
      const isRefused = request.input.some(text => text.length > 200 || unheard.startsWith(text));
      return (isRefused ? refuse(400) : usual)(request, response);
    };
    await teach(...names(60).slice(0, 30), long, unheard, ...names(60).slice(30));
    start();
    await eventually(textsStored, { length: 61 });
    expect(asked()).to.include(long.slice(0, 125));
    expect(logged).to.deep.equal([]);
    const [left] = await eventually(
      () => db('chunk_embeddings').where({ space: '' }),
      ([row]) => row.refusals === 5,
    );
    expect(left.due_at.getTime()).to.be.greaterThan(Date.now() + 3_600_000);
  });

  it('is held up by none that makes the model fail', async () => {
    model.onEmbeddings = (request, response) =>
      (request.input.includes('veneno') ? refuse(500) : usual)(request, response);
    await teach('veneno', ...names(6));
    start();
    await eventually(textsStored, { length: 6 });
  });

  const failures: readonly [what: string, script: EmbeddingScript, reason: string][] = [
    ['cannot be reached', (_request, response) => void response.destroy(), 'no connection'],
    ['fails', refuse(503), 'refused with 503'],
    ['is not there', refuse(404), 'refused with 404'],
    ['wants another key', refuse(401), 'refused with 401'],
    [
      'gives too many',
      (request, response) => usual({ ...request, input: [...request.input, 'x'] }, response),
      'unusable answer',
    ],
    ['gives what is no number', embed(() => [null, 1]), 'unusable answer'],
    ['gives vectors of another length', embed(() => [1, 2, 3]), 'vectors of another length'],
  ];
  for (const [what, script, reason] of failures)
    it(`waits while the model ${what}, which is logged once, and goes on afterwards`, async () => {
      start();
      await eventually(
        () => model.embeddingRequests,
        ({ length }) => length > 0,
      );
      model.onEmbeddings = script;
      const before = model.embeddingRequests.length;
      await teach(...names(2));
      await eventually(
        () => model.embeddingRequests.length,
        count => count >= before + 2,
      );
      expect(await spaces()).to.deep.equal(['', '']);
      model.onEmbeddings = usual;
      await allIn('model/2');
      expect(logged.map(line => JSON.parse(line)).map(line => [line.msg, line.reason])).to.deep.equal([
        ['failed to embed knowledge', reason],
      ]);
      expect(logged.join('')).to.not.include('texto');
    });

  it('is given back at once by a worker that closes, and after its time by one that dies', async () => {
    let held = 0;
    model.onEmbeddings = (request, response) =>
      request.input.includes(PROBE) ? usual(request, response) : void (held += 1);
    await teach('um');
    const closing = start();
    await eventually(() => held, 1);
    await closing.close();
    const [{ isDue }] = await db('chunk_embeddings').select(db.raw('due_at <= now() as "isDue"'));
    expect(isDue).to.equal(true);
    model.onEmbeddings = usual;
    // Replaces it, as if its lease had not been released.
    await db('chunk_embeddings').update({ due_at: db.raw(`now() + interval '60 seconds'`) });
    start();
    await eventually(
      () => model.embeddingRequests,
      ({ length }) => length >= 3,
    );
    expect(await spaces()).to.deep.equal(['']);
    await passTime();
    await allIn('model/2');
  });

  const passTime = () => db('chunk_embeddings').update({ due_at: db.raw('now()') });
});
