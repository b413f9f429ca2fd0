import { expect } from 'chai';
import { sendDeal } from '../support/crm.ts';
import { openOnce } from '../support/opened.ts';
import { type ApiResponse, openService } from '../support/service.ts';
import { recordRoundTrips } from './round-trips.ts';

/* A number may fall; one that grows needs a reason. */

describe('the waits for PostgreSQL, BEGIN and COMMIT included', () => {
  const trips = openOnce(recordRoundTrips);
  const service = openService();
  const { demo } = service;
  before(async () => {
    service.model.say('A secretaria atende de segunda a sexta.');
  });
  after(async () => {
    trips.stop();
  });

  const expectAtMost = async (most: number, work: () => Promise<ApiResponse>) => {
    trips.take(demo.hostId);
    expect((await work()).status).to.equal(200);
    const statements = trips.take(demo.hostId);
    expect(statements.length, statements.join('\n')).to.be.within(1, most);
  };
  const ask = (conversationId: string) => service.ask('Qual é o horário da secretaria?', { conversationId });

  it('are 7 for a turn with a flow', async () => {
    const conversationId = await service.newConversation();
    await expectAtMost(7, () => ask(conversationId));
  });

  it('are 3 for a turn while staff attends', async () => {
    const conversationId = await service.newConversation();
    await service
      .db('conversations')
      .where({ id: conversationId })
      .update({ attended: true, ask_human_help: true });
    await expectAtMost(3, () => ask(conversationId));
  });

  it('are 7 for a turn without a flow', async () => {
    await service.db('flows').where({ host_id: demo.hostId }).delete();
    const conversationId = await service.newConversation();
    await expectAtMost(7, () => ask(conversationId));
  });

  it('are 8 for a record', async () => {
    await expectAtMost(8, () => sendDeal(service, 1));
  });

  it('are 2 for a list', async () => {
    await expectAtMost(2, () => demo.call('listConversations'));
  });
});
