import { expect } from 'chai';
import { setContract } from '../../db/hosts/contracts.ts';
import { setHost } from '../../db/hosts/hosts.ts';
import { aggregateReportDeltas } from '../../db/reports/report-aggregation.ts';
import { call, fail, rounds, say } from '../support/scripted-model.ts';
import { openService } from '../support/service.ts';

const HOUR_MS = 3_600_000;
const rehearsal = { reasoningConfig: { rehearsal: true } };

describe('a turn that is a rehearsal', () => {
  const service = openService();
  const { demo, model } = service;
  before(() => setContract(service.db, demo.hostId, { startsOn: '2020-01-01', price: '1.5', services: 700 }));
  beforeEach(() => model.say('Às 8h.'));

  /** Today from daily counts, and parts of days around now from messages. */
  const reports = async () => {
    const at = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();
    const periods = [
      { startDate: at(-72), endDate: at(72) },
      { startDate: at(-1), endDate: at(1) },
    ];
    const asked = periods.flatMap(period =>
      (['conversationalStats', 'financialStats'] as const).map(name => demo.call(name, period)),
    );
    return (await Promise.all(asked)).map(({ status, body }) => {
      expect(status, JSON.stringify(body)).to.equal(200);
      return body.data[0];
    });
  };
  const services = async () =>
    (await reports()).map(report => report.total_services).filter(Number.isInteger);
  const close = (conversationId: string) => demo.call('updateConversation', { conversationId, closed: true });
  const rehearse = async (conversationId: string, status = 200) => {
    const answer = await service.ask('Um ensaio', { conversationId, ...rehearsal });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(status);
    return answer.body.data;
  };

  it('changes no report, answered or not, in a new, a standing or a closed conversation, folded or counted anew', async () => {
    const { conversationId: real } = (await service.ask('Que horas abre?')).body.data;
    const before = await reports();
    await rehearse(real);
    await close(real);
    await rehearse(real);
    const other = await service.newConversation();
    await rehearse(other);
    model.script(fail(400));
    await rehearse(other, 503);
    model.script(rounds(call([['open_ticket', { subject: 'x', description: 'y' }]]), say('Feito.')));
    expect((await rehearse(other)).tickets).to.deep.equal({ ticketId: '', ticketDescription: 'y' });
    expect(await reports()).to.deep.equal(before);
    await aggregateReportDeltas(service.db);
    expect(await reports()).to.deep.equal(before);
    // After a change of the opening hours, the host is recounted from its messages.
    const allDay = (to: string) => [{ days: [1, 2, 3, 4, 5, 6, 7], from: '00:00', to }];
    await setHost(service.db, demo.slug, { businessHours: allDay('12:00') });
    await setHost(service.db, demo.slug, { businessHours: allDay('24:00') });
    for (const report of await reports()) {
      if (!('total_services' in report)) continue;
      expect([report.total_services, report.total_messages]).to.deep.equal([1, 2]);
    }
  });

  it('leaves the service to the first question that is none, at the beginning and after each closing', async () => {
    const [before = 0] = await services();
    const conversationId = await service.newConversation();
    await rehearse(conversationId);
    await service.ask('De verdade', { conversationId });
    expect(await services()).to.deep.equal([before + 1, before + 1]);
    await service.ask('E mais uma', { conversationId });
    expect(await services()).to.deep.equal([before + 1, before + 1]);
    await close(conversationId);
    await rehearse(conversationId);
    await service.ask('De volta', { conversationId });
    await service.ask('E ainda', { conversationId });
    expect(await services()).to.deep.equal([before + 2, before + 2]);
  });

  it('is no reason to look at the conversation', async () => {
    const due = (conversation_id: string) => service.db('insights_due').where({ conversation_id });
    const conversationId = await service.newConversation();
    await rehearse(conversationId);
    expect(await due(conversationId)).to.deep.equal([]);
    await service.ask('De verdade', { conversationId });
    expect(await due(conversationId)).to.have.length(1);
  });

  it('is remembered in its conversation like any other', async () => {
    const conversationId = await service.newConversation();
    await rehearse(conversationId);
    await service.ask('E agora?', { conversationId });
    const told = model.requests.at(-1)?.messages.map(({ content }) => content);
    expect(told).to.include('Um ensaio');
  });
});
