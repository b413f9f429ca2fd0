import { expect } from 'chai';
import { composePast } from '../../commands/demo/compose-past.ts';
import { seedPast } from '../../commands/demo/seed-past.ts';
import { listConversations } from '../../db/conversations/conversation-list.ts';
import { findHostBySlug } from '../../db/hosts/hosts.ts';
import { readSpend } from '../../db/hosts/spend.ts';
import { listLeads, listTickets } from '../../db/intake/record-lists.ts';
import { countOutcomes, foldServices, outcomes } from '../../db/reports/services.ts';
import { seed } from '../../db/seed.ts';
import { type HostScope, withHost } from '../../db/with-hosts.ts';
import { saysNotFound } from '../../text/says-not-found.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';

const DAY = 24 * 60 * 60 * 1_000;
const page = { limit: 100, after: undefined };

describe('the demonstration of npm start', () => {
  const database = openOnce(() => makeDatabase('migrated'));
  const { db } = database;
  let hostId: string;
  const asOf = new Date();
  const inHost = <T>(read: (scope: HostScope) => Promise<T>) => withHost(db, hostId, read);
  before(async () => {
    const [demo] = await seed(db, scope => seedPast(scope, asOf));
    hostId = demo?.hostId ?? '';
  });

  it('has conversations of the last 60 days, some of which wait for a person or are attended', async () => {
    const all = await inHost(scope => listConversations(scope, {}, page));
    expect(all.length).to.be.within(55, 75);
    for (const { last_message_at } of all)
      expect(Date.parse(last_message_at)).to.be.within(asOf.getTime() - 61 * DAY, asOf.getTime() - 1);
    const asking = all.filter(({ ask_human_help }) => ask_human_help);
    expect(asking.map(({ assigned_to }) => assigned_to)).to.have.members([
      'Bia Souza',
      'Rafael Lima',
      null,
      null,
      null,
    ]);
    expect(new Set(all.map(({ platform }) => platform))).to.deep.equal(new Set(['whatsapp', 'site']));
    const named = all.map(({ contact_name }) => contact_name).filter(name => name !== '');
    expect(new Set(named).size).to.equal(named.length);
  });

  it('has services that ended in every way, and one for each beginning of a conversation', async () => {
    while ((await inHost(foldServices)) === 'full');
    const period = { start: asOf.getTime() - 61 * DAY, end: asOf.getTime() + DAY };
    const counts = await inHost(scope => countOutcomes(scope, period));
    for (const outcome of outcomes) expect(counts[outcome], outcome).to.be.greaterThan(0);
    expect(counts.assistant).to.be.greaterThan(counts.human + counts.abandoned + counts.reopened);
    const opened = await db('messages').where({ host_id: hostId, opens_service: true }).count();
    const reopened = await db('messages').where({ host_id: hostId, reopens: true }).count();
    const conversations = await db('conversations').where({ host_id: hostId }).count();
    expect(Number(opened[0]?.['count'])).to.equal(
      Number(conversations[0]?.['count']) + Number(reopened[0]?.['count']),
    );
  });

  it('answers with what the knowledge says, and says what it does not know', async () => {
    const answers = await db('messages').where({ host_id: hostId, author: 'assistant' });
    for (const { content, unsupported } of answers) expect(unsupported, content).to.equal(null);
    const carried = answers.filter(({ sources }) => sources !== null);
    expect(carried.length).to.be.greaterThan(answers.length / 2);
    const gaps = await db('gap_questions').where({ host_id: hostId });
    expect(gaps.length).to.be.at.least(12);
    expect(gaps.filter(({ answered_seq }) => answered_seq !== null).length).to.be.at.least(3);
  });

  it('has leads and tickets of its people, and what the models cost on many days', async () => {
    const leads = await inHost(scope => listLeads(scope, {}, page));
    expect(leads).to.have.length(10);
    for (const { warnings, contactId } of leads)
      expect([warnings, typeof contactId]).to.deep.equal([[], 'string']);
    const linked = await db('conversations').where({ host_id: hostId }).whereNotNull('lead_id');
    expect(linked).to.have.length(10);
    const tickets = await inHost(scope => listTickets(scope, {}, page));
    expect(tickets).to.have.length(8);
    expect(tickets.filter(({ solvedAt }) => solvedAt !== null)).to.have.length(2);
    const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
    const days = { first: dayOf(asOf.getTime() - 61 * DAY), last: dayOf(asOf.getTime() + DAY) };
    const spend = await inHost(scope => readSpend(scope, days));
    expect(spend.filter(({ group }) => group === 'day').length).to.be.greaterThan(15);
  });

  it('fills the figures of the last month, whatever day it is', () => {
    for (let day = 0; day < 62; day += 4) {
      const now = new Date(Date.UTC(2026, 0, 1 + day, 15));
      const [from, to] = [-1, 0].map(by => Date.UTC(2026, now.getUTCMonth() + by, 1, 3));
      const talks = composePast([], now)
        .map(({ conversation }) => conversation)
        .filter(({ messages: [first] }) => first && +first.at >= Number(from) && +first.at < Number(to));
      const attended = talks.filter(
        ({ helpAskedAt, messages }) =>
          helpAskedAt && messages.some(({ author, at }) => author === 'human' && at >= helpAskedAt),
      );
      const unknown = talks.flatMap(({ messages }) =>
        messages.filter(({ content }) => saysNotFound(content)),
      );
      const when = now.toISOString();
      expect(talks.length, when).to.be.at.least(15);
      expect(attended.length, when).to.be.at.least(1);
      expect(unknown.length, when).to.be.at.least(1);
    }
  });

  it('is the same for the same moment, but for its ids', () => {
    const textsAt = (at: Date) =>
      composePast([], at).map(({ conversation: { userName, platform, messages } }) => [
        userName,
        platform,
        ...messages.map(message => [message.content, message.at.getTime()]),
      ]);
    expect(textsAt(asOf)).to.deep.equal(textsAt(asOf));
  });

  it('leaves a database alone that has hosts', async () => {
    const added: HostScope[] = [];
    expect(await seed(db, async scope => void added.push(scope))).to.deep.equal([]);
    expect(added).to.deep.equal([]);
    expect((await findHostBySlug(db, 'demo'))?.id).to.equal(hostId);
  });
});
