import { expect } from 'chai';
import { setHost } from '../../db/hosts/hosts.ts';
import { makeAvatarWithKnowledge, teach } from '../support/avatar-with-knowledge.ts';
import { openConversation } from '../support/conversation.ts';
import { openOnce } from '../support/opened.ts';
import { openService } from '../support/service.ts';

const subSlug = 'leitora';

describe('the knowledge that a turn brings along', () => {
  const service = openService();
  const { demo } = service;
  const eva = openOnce(() => makeAvatarWithKnowledge(demo, subSlug, ['O zepelim parte às 9h. MARCA-lida']));
  const conversation = openConversation(service, { subSlug });

  const marksRead = async (question = 'Quando parte o zepelim?') => {
    const { status, requests } = await conversation.ask(question);
    expect(status).to.equal(200);
    return JSON.stringify(requests.at(-1)?.messages).match(/MARCA-[a-z]+/g) ?? [];
  };

  it('is found for a follow-up by the words of the question before', async () => {
    await marksRead();
    expect(await marksRead('E aos sábados?')).to.deep.equal(['MARCA-lida']);
  });

  it('is at most as many passages as the host allows', async () => {
    for (const mark of ['a', 'b', 'c', 'd', 'e'])
      await teach(demo, eva.avatarId, [`O zepelim parte às 9h. MARCA-${mark}`]);
    await setHost(service.db, demo.slug, { maxChunks: 3 });
    expect(await marksRead()).to.have.length(3);
    await conversation.restart();
    await setHost(service.db, demo.slug, { maxChunks: 5 });
    expect(await marksRead()).to.have.length(5);
  });
});
