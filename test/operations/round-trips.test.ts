import { expect } from 'chai';
import { SVC } from '../../queues/contract/operations/paths.ts';
import { sendDeal } from '../support/crm.ts';
import { say } from '../support/scripted-model.ts';
import { type ApiResponse, borrowService, type Service } from '../support/service.ts';
import { type RoundTrips, recordRoundTrips } from './round-trips.ts';

/* A number may fall; one that grows needs a reason. */

describe('the waits for PostgreSQL, BEGIN and COMMIT included', () => {
  let service: Service;
  let trips: RoundTrips;
  let hostId: string;
  before(async () => {
    trips = recordRoundTrips();
    service = await borrowService();
    hostId = service.demo.hostId;
    service.model.script(say('A secretaria atende de segunda a sexta.'));
  });
  after(async () => {
    trips.stop();
    await service.close();
  });

  const expectAtMost = async (most: number, work: () => Promise<ApiResponse>) => {
    trips.take(hostId);
    expect((await work()).status).to.equal(200);
    const statements = trips.take(hostId);
    expect(statements.length, statements.join('\n')).to.be.within(1, most);
  };
  const ask = (conversationId: string) => service.ask('Qual é o horário da secretaria?', { conversationId });

  it('are 8 for a turn with a flow', async () => {
    const conversationId = await service.newConversation();
    await expectAtMost(8, () => ask(conversationId));
  });

  it('are 8 for a turn without a flow', async () => {
    await service.db('flows').where({ host_id: hostId }).delete();
    const conversationId = await service.newConversation();
    await expectAtMost(8, () => ask(conversationId));
  });

  it('are 8 for a record', async () => {
    await expectAtMost(8, () => sendDeal(service, 1));
  });

  it('are 2 for a list', async () => {
    await expectAtMost(2, () => service.call(`${SVC}/conversationsListHelper`, { hostId }));
  });
});
