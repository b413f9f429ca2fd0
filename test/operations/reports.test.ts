import { expect } from 'chai';
import { setContract } from '../../db/hosts/contracts.ts';
import { openTicket } from '../../db/intake/tickets.ts';
import { aggregateReportDeltas } from '../../db/reports/report-aggregation.ts';
import { rowsOf } from '../../db/rows-of.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { expectWrong } from '../support/contract.ts';
import { eventually } from '../support/eventually.ts';
import { openEach } from '../support/opened.ts';
import type { Fields } from '../support/operation-calls.ts';
import { openService } from '../support/service.ts';
import { runIn, table } from '../support/statements.ts';

const [STATS, COSTS] = ['conversationalStats', 'financialStats'] as const;
const march = { startDate: '2026-03-01', endDate: '2026-04-01' };

describe('reports', () => {
  const service = openService();
  const host = openEach(() => service.addHost());
  beforeEach(() => service.model.say('Às 8h.'));

  /** A conversation with these messages, one a minute from `at` on. */
  const talk = (at: string, authors: readonly string[], platform = 'api') =>
    host.inHost(async ({ tx, hostId }) => {
      const [row] = await rowsOf<{ id: string }>(tx)`
        insert into conversations (host_id, platform) values (${hostId}, ${platform}) returning id`;
      await rowsOf(tx)`
        insert into messages (host_id, conversation_id, author, content, created_at)
        select ${hostId}, ${row?.id ?? ''}, author, 'x', ${at}::timestamptz + nth * interval '1 minute'
        from unnest(${authors}::text[]) with ordinality said (author, nth)`;
      return row?.id ?? '';
    });
  const agree = (startsOn: string, price: string, services: number) =>
    setContract(service.db, host.hostId, { startsOn, price, services });
  const ticketIn = async (scope: HostScope, conversationId: string, times: object) => {
    const ticket = { conversationId, contactId: undefined, subject: 'x', content: 'x' };
    const { id } = await openTicket(scope, ticket);
    await runIn(scope.tx, table('tickets').where({ id }).update(times));
  };
  const statsOf = async (name: typeof STATS | typeof COSTS, body: object, of = host) => {
    const answer = await of.call(name, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    expect(answer.body.data).to.have.length(1);
    return answer.body.data[0];
  };

  it('count services on the day of their first message, and messages on their own', async () => {
    await agree('2026-02-01', '1.5', 700);
    // 23:58 on the last day of February, a Saturday, in São Paulo.
    await talk('2026-03-01T02:57Z', ['user', 'assistant', 'user', 'human'], 'whatsapp');
    await talk('2026-03-02T14:00Z', ['user', 'assistant', 'system']);
    const body = { startDate: '2026-02-28', endDate: '2026-03-03' };
    for (const isFolded of [false, true]) {
      if (isFolded) await aggregateReportDeltas(service.db);
      const { history_days: days, history_months: months, ...totals } = await statsOf(STATS, body);
      expect(totals).to.deep.equal({
        total_contracted_services: 700,
        total_services: 2,
        total_messages: 6,
        total_tickets: 0,
        total_messages_sent_by_avatar: 2,
        total_messages_received_by_user: 3,
        total_solved_tickets: 0,
        total_opened_tickets: 0,
        total_services_after_hours: 1,
        total_messages_after_hours: 4,
        total_messages_responder_manager: 1,
        services_by_channels: [
          { platform: 'api', total_services: '1' },
          { platform: 'whatsapp', total_services: '1' },
        ],
      });
      const row = (services: number, messages: number) => ({
        total_conversations: String(services),
        total_messages: String(messages),
        total_tickets: '0',
      });
      expect(days).to.deep.equal([
        { dia: '2026-02-28T03:00:00.000Z', ...row(1, 2) },
        { dia: '2026-03-01T03:00:00.000Z', ...row(0, 2) },
        { dia: '2026-03-02T03:00:00.000Z', ...row(1, 2) },
      ]);
      expect(months).to.deep.equal([
        { mês: '2026-02-01T03:00:00.000Z', ...row(1, 2) },
        { mês: '2026-03-01T03:00:00.000Z', ...row(1, 4) },
      ]);
      expect(Object.keys(months[0])[0]).to.equal('m\u00eas');
    }
  });

  it('price each day by the contract in force on it, and add rounded days to months', async () => {
    for (const day of ['02', '02', '02', '03', '20']) await talk(`2026-03-${day}T15:00Z`, ['user']);
    expect((await statsOf(COSTS, march)).history_months[0].total_cost).to.equal('0.00');
    await agree('2026-03-01', '0.3333', 10);
    await agree('2026-03-20', '12.3', 20);
    const { history_days: days, history_months: months } = await statsOf(COSTS, march);
    expect(days).to.have.length(31);
    const costs = days.map((day: Fields) => day['total_cost']);
    expect([costs[0], costs[1], costs[2], costs[19]]).to.deep.equal(['0.00', '1.00', '0.33', '12.30']);
    const month = { mês: '2026-03-01T03:00:00.000Z', total_conversations: '5', total_cost: '13.63' };
    expect(months).to.deep.equal([month]);
    expect(await statsOf(STATS, march)).to.include({ total_contracted_services: 20 });
  });

  it('count tickets as opened, solved, and unsolved at the end of the period', async () => {
    const conversationId = await talk('2026-03-02T14:00Z', ['user']);
    const times: readonly [opened: string, solved: string | null][] = [
      ['2026-03-05T12:00Z', null],
      ['2026-03-05T12:00Z', '2026-03-06T12:00Z'],
      ['2026-03-31T12:00Z', '2026-04-01T03:00Z'],
      ['2026-02-01T12:00Z', '2026-03-01T03:00Z'],
    ];
    await host.inHost(async scope => {
      for (const [opened_at, solved_at] of times)
        await ticketIn(scope, conversationId, { opened_at, solved_at });
    });
    const stats = await statsOf(STATS, march);
    expect(stats).to.include({ total_tickets: 3, total_solved_tickets: 2, total_opened_tickets: 2 });
    expect(stats.history_days[4].total_tickets).to.equal('2');
    expect(stats.history_months[0].total_tickets).to.equal('3');
  });

  it('count a turn as it is answered, by the platform it came from, and a reopened conversation again', async () => {
    const { demo } = service;
    const today = () => {
      const now = Date.now();
      const hours = (count: number) => new Date(now + count * 3_600_000).toISOString();
      return statsOf(STATS, { startDate: hours(-48), endDate: hours(24) }, demo);
    };
    const globalData = { platform: 'whatsapp' };
    const { conversationId } = (await service.ask('Que horas abre?', { globalData })).data;
    await service.ask('E sábado?', { conversationId });
    const once = await today();
    const channels = (total_services: string) => [{ platform: 'whatsapp', total_services }];
    const counted = { total_services: 1, total_messages: 4, services_by_channels: channels('1') };
    expect(once).to.deep.include(counted);
    await demo.call('updateConversation', { conversationId, closed: true });
    await service.ask('Oi de novo', { conversationId });
    const again = { total_services: 2, total_messages: 6, services_by_channels: channels('2') };
    expect(await today()).to.deep.include(again);
  });

  it('count everything once where the database knows the clocks of a place otherwise than we do', async () => {
    // An hour ahead, as when one of the two has outdated time zone data.
    const localDay = (ahead: string) =>
      service.db.raw(`
        create or replace function local_day(instant timestamptz, time_zone text) returns date
          language sql immutable parallel safe
          return (instant at time zone time_zone + interval '${ahead}')::date`);
    await localDay('1 hour');
    try {
      await agree('2026-01-01', '1', 1);
      // 23:45 in São Paulo, and the next minute.
      const conversationId = await talk('2026-03-10T02:44Z', ['user', 'assistant']);
      await host.inHost(scope => ticketIn(scope, conversationId, { opened_at: '2026-03-10T02:45Z' }));
      await aggregateReportDeltas(service.db);
      const periods = [
        { startDate: '2026-03-10T02:30Z', endDate: '2026-03-12' },
        { startDate: '2026-03-10T02:30Z', endDate: '2026-03-10T02:59Z' },
        march,
      ];
      for (const period of periods) {
        const { history_days: days, ...totals } = await statsOf(STATS, period);
        expect(totals).to.include({ total_messages: 2, total_services: 1, total_tickets: 1 });
        expect(totals.total_messages_sent_by_avatar).to.equal(1);
        const [day, ...others] = days.filter((row: Fields) => row['total_messages'] !== '0');
        expect(others).to.deep.equal([]);
        const monday = { dia: '2026-03-09T03:00:00.000Z', total_conversations: '1', total_tickets: '1' };
        expect(day).to.include(monday);
        const { history_months: costs } = await statsOf(COSTS, period);
        expect(costs.map((month: Fields) => month['total_cost'])).to.deep.equal(['1.00']);
      }
    } finally {
      await localDay('0');
    }
  });

  it('may be asked for without waiting', async () => {
    await talk('2026-03-02T14:00Z', ['user']);
    for (const name of [STATS, COSTS]) {
      const asked = await host.call(name, march, { headers: { prefer: 'respond-async' } });
      expect(asked.status).to.equal(202);
      const location = asked.headers.get('location') ?? '';
      const find = async () => (await service.call(location, undefined, { token: host.token })).body.data;
      const found = await eventually(find, seen => !['queued', 'running'].includes(seen?.state));
      expect(found).to.deep.equal({ state: 'completed', code: 200, data: [await statsOf(name, march)] });
    }
  });

  it('are 404 for a host that never had a conversation, and empty ones for a period without any', async () => {
    const none = await host.call(STATS, march);
    expect([none.status, none.body.message]).to.deep.equal([404, 'The host has no conversations yet']);
    await talk('2025-01-01T12:00Z', ['user']);
    const stats = await statsOf(STATS, march);
    expect([stats.total_services, stats.services_by_channels]).to.deep.equal([0, []]);
    expect(stats.history_days).to.have.length(31);
  });

  it('name what is wrong with a period', async () => {
    const wrong: readonly [body: object, paths: string | string[]][] = [
      [{ endDate: '2026-03-01' }, 'startDate'],
      [{ startDate: '2026-02-30', endDate: '2026-03-01' }, 'startDate'],
      [{ startDate: '2026-W01', endDate: '2026-03-01' }, 'startDate'],
      [{ startDate: '0001-01-01', endDate: '0002-01-01' }, ['startDate', 'endDate']],
      [{ startDate: '2026-03-01', endDate: 'soon' }, 'endDate'],
      [{ startDate: '2026-03-01', endDate: '2026-03-01' }, 'endDate'],
      [{ startDate: '2026-03-02', endDate: '2026-03-01' }, 'endDate'],
      [{ startDate: '2021-03-01', endDate: '2026-03-01T00:01' }, 'endDate'],
    ];
    for (const [body, paths] of wrong) expectWrong(await host.call(STATS, body), paths);
  });
});
