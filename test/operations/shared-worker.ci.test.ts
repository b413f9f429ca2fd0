import { expect } from 'chai';
import { hold, say } from '../support/scripted-model.ts';
import { openService } from '../support/service.ts';
import { waitForLock } from '../support/wait-for-lock.ts';

/** Much more than a worker has connections and slots. */
const FLOOD = 60;

describe('a worker that two hosts share', () => {
  const service = openService({ requestTimeoutMs: 60_000 });
  const { demo, acme, model } = service;
  beforeEach(() => model.say('Certo.'));

  const createConversation = () => acme.call('createConversation');

  it('serves one while all calls of the other wait for a row', async () => {
    const [avatar] = await service.db('avatars').where({ host_id: demo.hostId });
    const lock = await service.db.transaction();
    await lock('avatars').where({ id: avatar.id }).forUpdate();
    const edit = { hostId: demo.hostId, host_id: demo.hostId, avatar_id: avatar.id, avatar_name: 'Outro' };
    const edits = Array.from({ length: FLOOD }, () => demo.call('editAvatar', edit));
    try {
      await waitForLock(lock, 4);
      for (let asked = 0; asked < 5; asked += 1) expect((await createConversation()).status).to.equal(200);
    } finally {
      await lock.rollback();
    }
    for (const { status } of await Promise.all(edits)) expect(status).to.equal(200);
  });

  it('opens the turns of one while those of the other wait for their conversation to be read', async () => {
    const conversationId = await service.newConversation();
    const lock = await service.db.transaction();
    await lock('conversations').where({ id: conversationId }).forUpdate();
    const turns = Array.from({ length: 12 }, (_, at) => service.ask(`P${at}?`, { conversationId }));
    try {
      await waitForLock(lock, 3);
      const { conversationId: ofOther } = (await createConversation()).body.data;
      const named = { hostId: acme.hostId, conversationId: ofOther };
      expect((await service.ask('Oi?', named, { token: acme.token })).status).to.equal(200);
    } finally {
      await lock.rollback();
    }
    for (const { status } of await Promise.all(turns)) expect(status).to.equal(200);
  });

  it('lets about fifty turns wait for one conversation, and refuses more at once', async () => {
    const conversationId = await service.newConversation();
    const held = hold(say('Certo.'));
    model.script(held.script);
    const turns = Array.from({ length: FLOOD }, (_, at) => service.ask(`Q${at}?`, { conversationId }));
    const refused = await Promise.race(turns);
    expect([refused.status, refused.body.message]).to.deep.equal([503, 'The service is overloaded']);
    expect(refused.headers.get('retry-after')).to.match(/^\d+$/);
    held.release();
    const statuses = (await Promise.all(turns)).map(({ status }) => status);
    const answered = statuses.filter(status => status === 200);
    expect(answered.length).to.be.within(50, 55);
    expect(statuses.filter(status => status === 503)).to.have.length(FLOOD - answered.length);
  });
});
