import { expect } from 'chai';
import { insertAvatar } from '../../db/assistants/avatars.ts';
import { setHost } from '../../db/hosts/hosts.ts';
import { insertChunk } from '../../db/knowledge/chunks.ts';
import { insertDataset, linkDataset } from '../../db/knowledge/datasets.ts';
import { type HostScope, withHost } from '../../db/with-hosts.ts';
import { borrowService, type Service } from '../support/service.ts';

const subSlug = 'leitora';

describe('the knowledge that a turn brings along', () => {
  let service: Service;
  let avatarId: string;
  const inDemo = <T>(work: (scope: HostScope) => Promise<T>) =>
    withHost(service.db, service.demo.hostId, work);
  before(async () => {
    service = await borrowService();
    avatarId = (await inDemo(scope => insertAvatar(scope, { subSlug, name: 'Eva' })))?.id ?? '';
  });
  after(() => service.close());

  /** A dataset with one passage about the zeppelin, identified by its mark. */
  const teach = (mark: string, { expires, isLinked = true }: { expires?: Date; isLinked?: boolean } = {}) =>
    inDemo(async scope => {
      const dataset = await insertDataset(scope, { name: mark, ...(expires ? { expires } : {}) });
      if (isLinked) await linkDataset(scope, { datasetId: dataset.id, avatarId });
      const chunkId = await insertChunk(scope, {
        datasetId: dataset.id,
        content: `O zepelim parte às 9h. ${mark}`,
        tokenCount: 9,
      });
      return { datasetId: dataset.id, chunkId: chunkId ?? '' };
    });
  const marksRead = async (question = 'Quando parte o zepelim?', more: Record<string, unknown> = {}) => {
    const answer = await service.ask(question, { subSlug, ...more });
    expect(answer.status).to.equal(200);
    const read = JSON.stringify(service.model.requests.at(-1)?.messages);
    return read.match(/MARCA-[a-z]+/g)?.toSorted() ?? [];
  };

  it('is what the avatar’s datasets say that may be read now, and nothing of the others', async () => {
    await teach('MARCA-lida');
    await teach('MARCA-vencida', { expires: new Date(Date.now() - 1_000) });
    await teach('MARCA-solta', { isLinked: false });
    const hidden = await teach('MARCA-oculta');
    const gone = await teach('MARCA-apagada');
    const unlinked = await teach('MARCA-desligada');
    const hiddenLink = await teach('MARCA-velada');
    const torn = await teach('MARCA-rasgada');
    const { db } = service;
    expect(await marksRead()).to.deep.equal([
      'MARCA-apagada',
      'MARCA-desligada',
      'MARCA-lida',
      'MARCA-oculta',
      'MARCA-rasgada',
      'MARCA-velada',
    ]);
    await db('datasets').where('id', hidden.datasetId).update({ visible: false });
    await db('datasets').where('id', gone.datasetId).update({ deleted: true });
    await db('dataset_avatars').where('dataset_id', unlinked.datasetId).update({ deleted: true });
    await db('dataset_avatars').where('dataset_id', hiddenLink.datasetId).update({ visible: false });
    await db('chunks').where('id', torn.chunkId).update({ deleted: true });
    expect(await marksRead()).to.deep.equal(['MARCA-lida']);
  });

  it('is not another avatar’s, nor another host’s', async () => {
    await service.ask('Quando parte o zepelim?');
    expect(JSON.stringify(service.model.requests.at(-1)?.messages)).to.not.include('MARCA');
    const { hostId, token } = service.acme;
    const made = await service.call(
      '/api/externalAPIs/public/createConversationId',
      { hostId, hostSlug: service.acme.slug },
      { token },
    );
    const { conversationId } = made.body.data;
    const answer = await service.ask('Quando parte o zepelim?', { hostId, conversationId }, { token });
    expect(answer.status).to.equal(200);
    expect(JSON.stringify(service.model.requests.at(-1)?.messages)).to.not.include('MARCA');
  });

  it('is found for a follow-up by the words of the question before', async () => {
    const conversationId = await service.newConversation();
    await service.ask('Quando parte o zepelim?', { conversationId, subSlug });
    expect(await marksRead('E aos sábados?', { conversationId })).to.deep.equal(['MARCA-lida']);
  });

  it('is at most as many passages as the host allows', async () => {
    for (const mark of ['a', 'b', 'c', 'd', 'e']) await teach(`MARCA-${mark}`);
    await setHost(service.db, service.demo.slug, { maxChunks: 3 });
    expect(await marksRead()).to.have.length(3);
    await setHost(service.db, service.demo.slug, { maxChunks: 5 });
    expect(await marksRead()).to.have.length(5);
  });
});
