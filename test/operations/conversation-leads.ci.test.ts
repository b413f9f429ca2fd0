import { expect } from 'chai';
import { CRM, deal } from '../support/crm.ts';
import { say } from '../support/scripted-model.ts';
import { borrowService, PUBLIC, type Service } from '../support/service.ts';

/** They wait to be indexed. */
const CONVERSATIONS = 4_000;

describe('a deal whose contact has thousands of conversations', () => {
  let service: Service;
  before(async () => {
    service = await borrowService();
    service.model.script(say('Certo.'));
  });
  after(() => service.close());

  it('is the lead of each, and is linked with the newest', async () => {
    const { hostId } = service.demo;
    const { conversationId, userId } = (await service.ask('Oi', { userData: { email: deal(1).email } })).body
      .data;
    await service.db.raw(
      `insert into conversations (host_id, contact_id, platform, last_message_at)
      select ?, ?, 'API', now() + at * interval '1 second' from generate_series(1, ?::integer) at`,
      [hostId, userId, CONVERSATIONS],
    );
    // It changes the name of the contact, which all of them show.
    const { status, body } = await service.call(`${CRM}/deals`, deal(1));
    expect(status).to.equal(200);
    const { id } = body.entityData;
    const path = `${PUBLIC}/svcReasoning/getConversationInformation`;
    expect((await service.call(path, { conversationId })).body.data.lead_id).to.equal(id);
    const linked = service.db('conversations').where({ host_id: hostId, lead_id: id });
    expect(await linked.count('* as count')).to.deep.equal([{ count: '1000' }]);
  });
});
