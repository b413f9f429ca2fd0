import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { insertChunk } from '../../db/knowledge/chunks.ts';
import { insertDataset } from '../../db/knowledge/datasets.ts';
import { openService } from '../support/service.ts';

describe('a passage that an answer cites', () => {
  const service = openService();
  const { demo } = service;
  let agent: string;
  let conversationId: string;
  let chunkId: string;
  before(async () => {
    agent = await service.makeToken({ hostIds: [demo.hostId], scopes: ['reason', 'search'] });
  });
  beforeEach(async () => {
    conversationId = await service.newConversation();
    // Linked to no assistant.
    chunkId = await demo.inHost(async scope => {
      const { id: datasetId } = await insertDataset(scope, { name: 'Manual' });
      return (await insertChunk(scope, { datasetId, content: 'Abre às 8h.', tokenCount: 4 })) ?? '';
    });
  });

  const cite = (ids: readonly string[]) =>
    service.db('messages').insert({
      host_id: demo.hostId,
      conversation_id: conversationId,
      author: 'assistant',
      content: 'Às 8h.',
      sources: JSON.stringify(ids.map(id => ({ chunkId: id, sentences: [] }))),
    });
  const read = (body: object = {}, token = agent) =>
    demo.call('readCitedPassage', { conversationId, chunkId, ...body }, { token });

  it('is read by who attends the conversation, and may not read the knowledge', async () => {
    await cite([randomUUID(), chunkId]);
    const { status, body } = await read();
    expect(status).to.equal(200);
    expect(body.data).to.include({ chunk_id: chunkId, content: 'Abre às 8h.', dataset_name: 'Manual' });
    expect((await read({ chunkId: undefined, chunk_id: chunkId })).body.data.chunk_id).to.equal(chunkId);
    const place = { hostId: demo.hostId, avatar_id: randomUUID(), dataset_ids: [] };
    expect((await demo.call('readChunks', place, { token: agent })).status).to.equal(403);
  });

  it('is refused like one that is not there where no answer of this conversation cites it', async () => {
    expect((await read()).status).to.equal(404);
    await cite([chunkId]);
    expect((await read({ conversationId: await service.newConversation() })).status).to.equal(404);
    expect((await read({ chunkId: randomUUID() })).status).to.equal(404);
    expect((await read({}, service.acme.token)).status).to.equal(404);
    await service.db('chunks').where({ id: chunkId }).update({ deleted: true });
    expect((await read()).status).to.equal(404);
  });
});
