import { expect } from 'chai';
import { makeVectorStore, untilEmbedded } from '../db/vector-store.ts';
import { makeAvatarWithKnowledge } from '../support/avatar-with-knowledge.ts';
import { openConversation } from '../support/conversation.ts';
import { openOnce } from '../support/opened.ts';
import { byConcept, type EmbeddingScript, embed, refuse } from '../support/scripted-model.ts';
import { withReceipt } from '../support/served-host.ts';
import { borrowService, startService } from '../support/service.ts';

const MODEL = 'scripted-embedding';
const PARKING = 'O estacionamento é de graça para estudantes. MARCA-vaga';
const LIBRARY = 'Empréstimos de livros: três por vez. MARCA-livro';
/** Shares no word with the passage that answers it. */
const ASKED = 'Posso deixar meu fusca aí?';
const meanings = embed(byConcept(/estacionamento|fusca|carro|veículo/i, /livros|romance/i));

describe('a question that means what no word of it says', () => {
  const service = openOnce(async () => {
    const started = await startService({ store: await makeVectorStore(), openaiEmbeddingModel: MODEL });
    started.model.onEmbeddings = meanings;
    return started;
  });
  const { demo, model } = service;
  const conversation = openConversation(service, { subSlug: 'leitora', ...withReceipt });
  const passages = [PARKING, LIBRARY, 'A cantina vende sucos. MARCA-suco'];
  const reader = openOnce(() => makeAvatarWithKnowledge(demo, 'leitora', passages));
  before(() => untilEmbedded(service.db));
  beforeEach(() => {
    model.onEmbeddings = meanings;
  });

  const marksRead = async (question: string) => {
    await conversation.restart();
    const { status, data, receipt, requests } = await conversation.ask(question);
    expect(status).to.equal(200);
    const marks = JSON.stringify(requests.at(-1)?.messages).match(/MARCA-[a-z]+/g) ?? [];
    return { marks, data, receipt };
  };
  const linesSaying = (text: string) => service.logged.filter(line => line.includes(text));

  it('finds its passage, and the receipt tells what the score is made of', async () => {
    const { marks, data, receipt } = await marksRead(ASKED);
    expect(marks[0]).to.equal('MARCA-vaga');
    const { retrieval } = receipt;
    expect(retrieval.chunks[0]).to.have.keys('chunkId', 'datasetId', 'score', 'scores');
    expect(retrieval.chunks[0].scores).to.deep.equal({ words: 0, meaning: 1 });
    expect(JSON.stringify(data)).to.not.include('[0.1,');
    expect(data.restStatus[0]).to.include({ name: `model:${MODEL}`, status: 200 });
    expect(data.tokensControl).to.deep.include({ model: MODEL, tokens: 1 });
    expect(service.logged.join('')).to.not.include('MARCA').and.not.include('estacionamento');
  });

  it('is sent as it is asked, with what was asked before, as numbers and with its purpose', async () => {
    await conversation.ask(ASKED);
    await conversation.ask('E domingo?');
    const request = model.embeddingRequests.at(-1);
    expect(request?.input).to.deep.equal([`${ASKED} E domingo?`]);
    expect(request).to.include({ model: MODEL, encoding_format: 'float' });
    expect(request?.headers['x-parley-purpose']).to.equal('embedding');
  });

  it('finds its passage for those who tend the knowledge, too', async () => {
    const { avatarId: avatar_id, datasetId } = reader;
    const read = { avatar_id, dataset_ids: [datasetId], question: ASKED, limit: 1 };
    expect((await demo.call('readChunks', read)).body.data[0].content).to.equal(PARKING);
  });

  it('is asked for nothing where it says nothing', async () => {
    const before = model.embeddingRequests.length;
    await marksRead('Oi, e você?');
    expect(model.embeddingRequests).to.have.length(before);
  });

  it('is sent to nobody while a person attends', async () => {
    const conversationId = conversation.id;
    await demo.call('updateConversation', { conversationId, ask_human_help: true });
    await demo.call('appendMessage', { conversationId, content: 'Oi!', author: 'human' });
    const before = model.embeddingRequests.length;
    expect((await conversation.ask(ASKED)).text).to.equal('');
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
      const logged = service.logged.slice(before);
      const [line, ...more] = logged.filter(each => each.includes('a question was searched by words only'));
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
