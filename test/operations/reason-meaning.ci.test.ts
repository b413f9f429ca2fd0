import { expect } from 'chai';
import { insertAvatar } from '../../db/assistants/avatars.ts';
import { insertChunk } from '../../db/knowledge/chunks.ts';
import { insertDataset, linkDataset } from '../../db/knowledge/datasets.ts';
import { withHost } from '../../db/with-hosts.ts';
import { SVC } from '../../queues/contract/operations/paths.ts';
import { makeVectorStore } from '../db/vector-store.ts';
import { eventually } from '../support/eventually.ts';
import {
  byConcept,
  type EmbeddingScript,
  embed,
  refuse,
  type ScriptedModel,
} from '../support/scripted-model.ts';
import { borrowService, type Service, startService } from '../support/service.ts';

const MODEL = 'scripted-embedding';
const PARKING = 'O estacionamento é de graça para estudantes. MARCA-vaga';
const LIBRARY = 'Empréstimos de livros: três por vez. MARCA-livro';
/** Shares no word with the passage that answers it. */
const ASKED = 'Posso deixar meu fusca aí?';
const meanings = embed(byConcept(/estacionamento|fusca|carro|veículo/i, /livros|romance/i));

describe('a question that means what no word of it says', () => {
  let service: Service;
  let model: ScriptedModel;
  let taught: { readonly avatarId: string; readonly datasetId: string };
  before(async () => {
    const store = await makeVectorStore();
    service = await startService({ store, openaiEmbeddingModel: MODEL });
    ({ model } = service);
    model.onEmbeddings = meanings;
    taught = await teach(service);
    await allEmbedded();
  });
  after(() => service.close());
  beforeEach(() => {
    model.onEmbeddings = meanings;
  });

  const allEmbedded = () =>
    eventually(
      async () => service.db('chunk_embeddings').where({ space: '' }).pluck('chunk_id'),
      left => left.length === 0,
      20_000,
    );
  const marksRead = async (question: string, more: Record<string, unknown> = {}) => {
    const { status, body } = await service.ask(question, {
      subSlug: 'leitora',
      reasoningConfig: { svcCompleteLog: true },
      ...more,
    });
    expect(status).to.equal(200);
    const read = JSON.stringify(model.requests.at(-1)?.messages).match(/MARCA-[a-z]+/g) ?? [];
    return { marks: read, data: body.data };
  };
  const linesSaying = (text: string) => service.logged.filter(line => line.includes(text));

  it('finds its passage, and the receipt tells what the score is made of', async () => {
    const { marks, data } = await marksRead(ASKED);
    expect(marks[0]).to.equal('MARCA-vaga');
    const [{ retrieval }] = data.svcCompleteLog;
    expect(retrieval.chunks[0]).to.have.keys('chunkId', 'datasetId', 'score', 'scores');
    expect(retrieval.chunks[0].scores).to.deep.equal({ words: 0, meaning: 1 });
    expect(JSON.stringify(data)).to.not.include('[0.1,');
    expect(data.restStatus[0]).to.include({ name: `model:${MODEL}`, status: 200 });
    expect(data.tokensControl).to.deep.include({ model: MODEL, tokens: 1 });
    expect(service.logged.join('')).to.not.include('MARCA').and.not.include('estacionamento');
  });

  it('is sent as it is asked, with what was asked before, as numbers and with its purpose', async () => {
    const conversationId = await service.newConversation();
    await marksRead(ASKED, { conversationId });
    await marksRead('E domingo?', { conversationId });
    const request = model.embeddingRequests.at(-1);
    expect(request?.input).to.deep.equal([`${ASKED} E domingo?`]);
    expect(request).to.include({ model: MODEL, encoding_format: 'float' });
    expect(request?.headers['x-parley-purpose']).to.equal('embedding');
  });

  it('finds its passage for those who tend the knowledge, too', async () => {
    const { hostId } = service.demo;
    const { avatarId: avatar_id, datasetId } = taught;
    const read = { hostId, avatar_id, dataset_ids: [datasetId], question: ASKED, limit: 1 };
    const { body } = await service.call(`${SVC}/chunkReadHelper`, read);
    expect(body.data[0].content).to.equal(PARKING);
  });

  it('is asked for nothing where it says nothing', async () => {
    const before = model.embeddingRequests.length;
    await marksRead('Oi, e você?');
    expect(model.embeddingRequests).to.have.length(before);
  });

  it('is sent to nobody while a person attends', async () => {
    const conversationId = await service.newConversation();
    await service.call(`${SVC}/updateConversationHelper`, { conversationId, ask_human_help: true });
    await service.call(`${SVC}/appendMessageHelper`, { conversationId, content: 'Oi!', author: 'human' });
    const before = model.embeddingRequests.length;
    const { body } = await service.ask(ASKED, { subSlug: 'leitora', conversationId });
    expect(body.data.assistantResponse.string).to.equal('');
    expect(model.embeddingRequests).to.have.length(before);
  });

  const failures: readonly [what: string, script: EmbeddingScript, reason: string][] = [
    ['cannot be reached', (_request, response) => void response.destroy(), 'no connection'],
    ['fails', refuse(500), 'refused with 500'],
    ['refuses it', refuse(400), 'refused with 400'],
    ['does not answer in time', () => {}, 'too late'],
    [
      'gives one vector too many',
      (request, response) => meanings({ ...request, input: [...request.input, 'more'] }, response),
      'unusable answer',
    ],
    ['gives what is no number', embed(() => [1, null, 0]), 'unusable answer'],
  ];
  for (const [what, script, reason] of failures) {
    it(`is looked for by words alone when the model ${what}`, async () => {
      // The model works in between, so its circuit breaker stays closed.
      await marksRead(ASKED);
      model.onEmbeddings = script;
      const before = service.logged.length;
      expect((await marksRead('Empréstimos de livros')).marks[0]).to.equal('MARCA-livro');
      const [line, ...more] = service.logged
        .slice(before)
        .filter(line => line.includes('a question was searched by words only'));
      expect(JSON.parse(line ?? '{}')).to.include({ model: MODEL, reason });
      expect(more).to.deep.equal([]);
    });
  }

  it('is looked for by words alone when vectors have another length than those that are kept', async () => {
    model.onEmbeddings = embed(() => [1, 2]);
    expect((await marksRead('Empréstimos de livros')).marks[0]).to.equal('MARCA-livro');
  });

  it('leaves a model that fails again and again in peace for a while', async () => {
    model.onEmbeddings = refuse(500);
    for (let time = 0; time < 3; time += 1) await marksRead(ASKED);
    const before = model.embeddingRequests.length;
    expect((await marksRead('Empréstimos de livros')).marks[0]).to.equal('MARCA-livro');
    expect(model.embeddingRequests).to.have.length(before);
    expect(linesSaying('semantic search is paused')).to.have.length(1);
  });
});

describe('without an embedding model, or without pgvector', () => {
  it('nobody asks for vectors, and nothing is made for them', async () => {
    const service = await borrowService();
    await service.ask('Quando abre a secretaria?');
    expect(service.model.embeddingRequests).to.deep.equal([]);
    expect(await service.db.schema.hasTable('chunk_embeddings')).to.equal(false);
    await service.close();
  });

  it('a worker starts all the same, says once that there are none, and finds by words', async () => {
    const service = await startService({ openaiEmbeddingModel: MODEL });
    const said = service.logged.filter(line => line.includes('OPENAI_EMBEDDING_MODEL'));
    expect(said.map(line => JSON.parse(line).reason)).to.deep.equal(['the server has no pgvector']);
    expect((await service.ask('Quando abre a secretaria?')).status).to.equal(200);
    expect(service.model.embeddingRequests).to.deep.equal([]);
    await service.close();
  });
});

async function teach({ db, demo }: Service) {
  return withHost(db, demo.hostId, async scope => {
    const { avatar_id: avatarId = '' } =
      (await insertAvatar(scope, { sub_slug: 'leitora', avatar_name: 'Eva' })) ?? {};
    const { id: datasetId } = await insertDataset(scope, { name: 'Campus' });
    await linkDataset(scope, { datasetId, avatarId });
    for (const content of [PARKING, LIBRARY, 'A cantina vende sucos. MARCA-suco'])
      await insertChunk(scope, { datasetId, content, tokenCount: 9 });
    return { avatarId, datasetId };
  });
}
