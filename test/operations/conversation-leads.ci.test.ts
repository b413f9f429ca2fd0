import { expect } from 'chai';
import { deal } from '../support/crm.ts';
import { openService } from '../support/service.ts';

/** They wait to be indexed. */
const CONVERSATIONS = 4_000;

describe('a deal whose contact has thousands of conversations', () => {
  const service = openService();
  const { demo } = service;
  it('is the lead of each, and is linked with the newest', async () => {
    const { hostId } = demo;
    const { body: turn } = await service.ask('Oi', { userData: { email: deal(1).email } });
    const { conversationId, userId } = turn.data;
    await service.db.raw(
      `insert into conversations (host_id, contact_id, platform, last_message_at)
      select ?, ?, 'API', now() + at * interval '1 second' from generate_series(1, ?::integer) at`,
      [hostId, userId, CONVERSATIONS],
    );
    // It changes the name of the contact, which all of them show.
    const { status, body } = await demo.call('receiveDeal', deal(1));
    expect(status).to.equal(200);
    const { id } = body.entityData;
    const information = await demo.call('getConversationInformation', { conversationId });
    expect(information.body.data.lead_id).to.equal(id);
    const linked = service.db('conversations').where({ host_id: hostId, lead_id: id });
    expect(await linked.count('* as count')).to.deep.equal([{ count: '1000' }]);
  });
});
