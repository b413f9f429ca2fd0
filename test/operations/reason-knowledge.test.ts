import { expect } from 'chai';
import { insertAvatar } from '../../db/assistants/avatars.ts';
import { setHost } from '../../db/hosts/hosts.ts';
import { insertChunk } from '../../db/knowledge/chunks.ts';
import { insertDataset, linkDataset } from '../../db/knowledge/datasets.ts';
import { type HostScope } from '../../db/with-hosts.ts';
import { openService } from '../support/service.ts';

const subSlug = 'leitora';

describe('the knowledge that a turn brings along', () => {
  const service = openService();
  const { demo } = service;
  let avatarId: string;
  const inDemo = <T>(work: (scope: HostScope) => Promise<T>) => demo.inHost(work);
  before(async () => {
    avatarId =
      (await inDemo(scope => insertAvatar(scope, { sub_slug: subSlug, avatar_name: 'Eva' })))?.avatar_id ??
      '';
  });

  /** A dataset with one passage about the zeppelin, identified by its mark. */
  const teach = (mark: string) =>
    inDemo(async scope => {
      const { id: datasetId } = await insertDataset(scope, { name: mark });
      await linkDataset(scope, { datasetId, avatarId });
      await insertChunk(scope, { datasetId, content: `O zepelim parte às 9h. ${mark}`, tokenCount: 9 });
    });
  const marksRead = async (question = 'Quando parte o zepelim?', more: Record<string, unknown> = {}) => {
    const answer = await service.ask(question, { subSlug, ...more });
    expect(answer.status).to.equal(200);
    const read = JSON.stringify(service.model.requests.at(-1)?.messages);
    return read.match(/MARCA-[a-z]+/g)?.toSorted() ?? [];
  };

  it('is found for a follow-up by the words of the question before', async () => {
    await teach('MARCA-lida');
    const conversationId = await service.newConversation();
    await service.ask('Quando parte o zepelim?', { conversationId, subSlug });
    expect(await marksRead('E aos sábados?', { conversationId })).to.deep.equal(['MARCA-lida']);
  });

  it('is at most as many passages as the host allows', async () => {
    for (const mark of ['a', 'b', 'c', 'd', 'e']) await teach(`MARCA-${mark}`);
    await setHost(service.db, demo.slug, { maxChunks: 3 });
    expect(await marksRead()).to.have.length(3);
    await setHost(service.db, demo.slug, { maxChunks: 5 });
    expect(await marksRead()).to.have.length(5);
  });
});
