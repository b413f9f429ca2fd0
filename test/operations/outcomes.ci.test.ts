import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { setContract } from '../../db/hosts/contracts.ts';
import { erasePerson } from '../../db/person/erase-person.ts';
import { readTeamStats } from '../../db/reports/team.ts';
import { dropErased } from '../../workers/reports/most-asked.ts';
import { expectWrong, ok } from '../support/contract.ts';
import { openEach } from '../support/opened.ts';
import type { Fields } from '../support/operation-calls.ts';
import { call, rounds, say } from '../support/scripted-model.ts';
import { borrowService } from '../support/service.ts';

const HOUR_MS = 3_600_000;
const names = ['resolvedByAssistant', 'resolvedWithPerson', 'abandoned', 'reopened', 'open'] as const;
const YEAR_MS = 365 * 24 * HOUR_MS;
const at = (ms: number) => new Date(Date.now() + ms).toISOString();
const wide = { startDate: at(-3 * YEAR_MS), endDate: at(YEAR_MS) };

describe('the outcomes of conversations', () => {
  const service = openEach(() => borrowService());
  const { demo, model } = service;
  beforeEach(async () => {
    await setContract(service.db, demo.hostId, { startsOn: '2020-01-01', price: '1.5', services: 700 });
    model.say('Às 8h.');
  });

  const outcomes = async (more: Fields = {}) => ok(await demo.call('getOutcomes', { ...wide, ...more }));
  const countsOf = (data: Record<string, { count: number }>) => names.map(name => data[name]?.count);
  const ask = async (conversationId?: string): Promise<string> =>
    ok(await service.ask('Que horas abre?', conversationId ? { conversationId } : {})).conversationId;
  const update = async (conversationId: string, changes: Fields) =>
    ok(await demo.call('updateConversation', { conversationId, ...changes }));
  const close = (id: string) => update(id, { closed: true });
  const reply = async (conversationId: string) =>
    ok(await demo.call('appendMessage', { conversationId, content: 'Oi, é a Bia.', author: 'human' }));
  /** As if everything in it had happened that long ago. */
  const age = async (id: string, hours: number) => {
    const { db } = service;
    const back = (column: string) => ({ [column]: db.raw(`?? - ? * interval '1 hour'`, [column, hours]) });
    const ofConversation = { conversation_id: id };
    await db('messages').where(ofConversation).update(back('created_at'));
    await db('services').where(ofConversation).delete();
    await db('conversations').where({ id }).update(back('help_asked_at'));
    await db('service_changes').insert({ host_id: demo.hostId, ...ofConversation });
  };

  it('are told by staff member: what each attended in the period, and how soon', async () => {
    const team = async (period = wide) => ok(await demo.call('getTeamStats', period));
    const { db } = service;
    const conversationId = await ask();
    await db('messages').where({ conversation_id: conversationId }).delete();
    const start = Date.now() - 10 * HOUR_MS;
    const asked = new Date(start + 5_000);
    const message = { host_id: demo.hostId, conversation_id: conversationId, content: 'x' };
    const add = (author: string, second: number, name: string | null = null, help_asked_at?: Date) => {
      const created_at = new Date(start + second * 1_000);
      return db('messages').insert({ ...message, author, name, help_asked_at, created_at });
    };
    await add('user', 0);
    await add('assistant', 5);
    await add('human', 35, 'Bia', asked);
    await add('user', 40);
    await add('user', 45);
    await add('human', 60, 'Caio');
    await add('human', 61, 'Caio');
    const member = { personId: null, email: '', conversations: 1 };
    const bia = {
      ...member,
      name: 'Bia',
      messages: 1,
      secondsUntilFirstAnswer: 30,
      secondsUntilAnswer: null,
    };
    const caio = { ...bia, name: 'Caio', messages: 2, secondsUntilFirstAnswer: null, secondsUntilAnswer: 20 };
    expect(await team()).to.deep.equal([bia, caio]);
    expect(await team({ startDate: at(-3 * HOUR_MS), endDate: at(HOUR_MS) })).to.deep.equal([]);
    // A conversation that began before the period counts as a whole; a request that Bia answered is none of Caio's.
    const later = { ...wide, startDate: new Date(start + 50_000).toISOString() };
    expect(await team(later)).to.deep.equal([caio]);
    const period = { start, end: Date.now() };
    const newest = await demo.inHost(scope => readTeamStats(scope, period, { members: 9, messages: 1 }));
    expect(newest.map(({ name, messages }) => [name, messages])).to.deep.equal([['Caio', 1]]);
    const backwards = { startDate: wide.endDate, endDate: wide.startDate };
    expectWrong(await demo.call('getTeamStats', backwards), 'endDate');
    expect((await service.acme.call('getTeamStats', wide)).body.data).to.deep.equal([]);
  });

  it('are open until a conversation is closed or a day has passed, and say who resolved it', async () => {
    const [alone, helped, left] = [await ask(), await ask(), await ask()];
    await reply(helped);
    await update(left, { ask_human_help: true });
    expect(countsOf(await outcomes())).to.deep.equal([0, 0, 0, 0, 3]);
    for (const id of [alone, helped]) await close(id);
    const closed = await outcomes();
    expect(countsOf(closed)).to.deep.equal([1, 1, 0, 0, 1]);
    expect(closed.resolvedByAssistant.conversations).to.deep.equal([alone]);
    expect(closed.resolvedWithPerson.conversations).to.deep.equal([helped]);
    expect(closed.open.conversations).to.deep.equal([left]);
    await age(left, 25);
    const later = await outcomes();
    expect(countsOf(later)).to.deep.equal([1, 1, 1, 0, 0]);
    expect(later.abandoned.conversations).to.deep.equal([left]);
    expect(later).to.include({ total: 3, cost: '4.50', costPerResolved: '2.25' });
  });

  it('say how long half of those waited who asked for a person and met one', async () => {
    expect(await outcomes()).to.include({ secondsUntilPerson: null });
    const waiting: string[] = [];
    for (const seconds of [60, 120, 9_000]) {
      const id = await ask();
      waiting.push(id);
      await update(id, { ask_human_help: true });
      await reply(id);
      const help_asked_at = service.db.raw(
        `(select max(created_at) from messages where conversation_id = ?) - ? * interval '1 second'`,
        [id, seconds],
      );
      const messages = () => service.db('messages').where({ conversation_id: id });
      await messages().whereNotNull('help_asked_at').update({ help_asked_at });
      const created_at = service.db.raw(`created_at - interval '3 hours'`);
      await messages().where({ author: 'user' }).update({ created_at });
      await close(id);
    }
    // Nobody asked, and nobody came.
    await reply(await ask());
    await update(await ask(), { ask_human_help: true });
    const data = await outcomes();
    expect(data.secondsUntilPerson).to.be.closeTo(120, 0.01);
    expect(data.waited).to.deep.equal({ count: 3, conversations: waiting.toReversed(), nextCursor: null });
    // Who asks again has waited before all the same.
    for (const id of waiting) await update(id, { closed: false, ask_human_help: true });
    expect((await outcomes()).secondsUntilPerson).to.equal(data.secondsUntilPerson);
  });

  it('take an answer that asks for a person whom nobody sent as abandoned, also after closing', async () => {
    const help = call([['ask_human_help', { reason: 'customer_request' }]]);
    model.script(rounds(help, say('Vou chamar a equipe.')));
    await close(await ask());
    const data = await outcomes();
    expect(data.abandoned).to.include({ count: 1 });
    expect(data.costPerResolved).to.equal(null);
  });

  it('take what came back within seven days as reopened, and what came back later as resolved', async () => {
    const [soon, late] = [await ask(), await ask()];
    for (const id of [soon, late]) await close(id);
    await age(soon, 6 * 24);
    await age(late, 8 * 24);
    for (const id of [soon, late]) await ask(id);
    const data = await outcomes();
    expect(countsOf(data)).to.deep.equal([1, 0, 0, 1, 2]);
    expect(data.reopened.conversations).to.deep.equal([soon]);
    expect(data.resolvedByAssistant.conversations).to.deep.equal([late]);
  });

  it('add up, in any part of the time, to the ids behind them and to the services of the statistics', async () => {
    const ids: string[] = [];
    for (let nth = 0; nth < 12; nth += 1) {
      const id = await ask();
      ids.push(id);
      if (nth % 3 === 0) await reply(id);
      if (nth % 4 === 0) await update(id, { ask_human_help: true });
      if (nth % 2 === 0) await close(id);
      await age(id, nth * 13);
      if (nth % 5 === 0) await ask(id);
    }
    await service.db.raw('select recount_report_days(?)', [demo.hostId]);
    for (const [from, to] of [
      [400, -1],
      [100, 30],
      [49, 20],
      [30, 27],
      [3, -1],
    ] as const) {
      const period = { startDate: at(-from * HOUR_MS), endDate: at(-to * HOUR_MS) };
      const data = await outcomes(period);
      const stats = ok(await demo.call('conversationalStats', period));
      expect(data.total).to.equal(stats[0].total_services);
      expect(names.reduce((sum, name) => sum + data[name].count, 0)).to.equal(data.total);
      for (const name of names) expect(data[name].conversations, name).to.have.length(data[name].count);
    }
    const all = await outcomes();
    const named = names.flatMap(name => all[name].conversations as string[]);
    expect(new Set(named)).to.deep.equal(new Set(ids));
  });

  it('count the answers whose figures have a source, and lead to those with one that has none', async () => {
    model.say('Custa R$ 12,34.');
    const wrong = await ask();
    model.say('Às 8h, ou R$ 56,78.');
    await service.ask('Um ensaio?', { reasoningConfig: { rehearsal: true } });
    model.say('Boa tarde!');
    await ask();
    const elsewhere = await ask();
    await service
      .db('messages')
      .where({ conversation_id: elsewhere, author: 'assistant' })
      .update({
        unsupported: JSON.stringify([{ from: 0, to: 3, kind: 'number', text: '90', elsewhere: true }]),
      });
    const { answers } = await outcomes();
    expect(answers.supported).to.equal(2);
    expect(answers.unsupported).to.deep.equal({ count: 1, conversations: [wrong], nextCursor: null });
    const early = await outcomes({ endDate: at(-HOUR_MS) });
    expect(early.answers.unsupported.count + early.answers.supported).to.equal(0);
  });

  it('name what most conversations asked, where that is asked for, as long as these are there', async () => {
    const wonder = async (content: string, more: Record<string, unknown> = {}) =>
      ok(await service.ask(content, more)).conversationId as string;
    const theirs = { userData: { name: 'Ana', email: 'ana@exemplo.test' } };
    const first = await wonder('Quanto custa a mensalidade de Direito?');
    const again = await wonder('quanto custa a mensalidade de direito');
    await wonder('Quanto custa a mensalidade de Direito?', { conversationId: again });
    await wonder('Onde fica a biblioteca?');
    // These rest on what was said before.
    for (let nth = 0; nth < 2; nth += 1) await wonder('E demora?');
    await wonder('Um ensaio: onde fica a biblioteca?', { reasoningConfig: { rehearsal: true } });
    const person = await wonder('Meu CPF é 529.982.247-25: quanto custa a mensalidade de Direito?', theirs);
    const asked = async (more: object = {}) => (await outcomes({ questions: 5, ...more })).questions;
    const [most, ...others] = await asked();
    expect(others).to.deep.equal([]);
    expect(most).to.deep.include({ count: 3, conversations: [person, again, first] });
    expect(most.question)
      .to.include('mensalidade')
      .and.not.match(/529\.?982/);
    expect(await outcomes()).to.not.have.property('questions');
    const foreign = await service.acme.call('getOutcomes', { ...wide, questions: 5 });
    expect(foreign.body.data.questions).to.deep.equal([]);
    const whileGrouped = [{ ...most, conversations: [randomUUID()] }, most];
    const kept = await demo.inHost(scope => dropErased(scope, whileGrouped));
    expect(kept).to.deep.equal([most]);
    await erasePerson(service.db, demo.hostId, 'ana@exemplo.test');
    const [left] = await asked();
    expect(left).to.deep.include({ count: 2, conversations: [again, first] });
    expect(left.question).to.equal('Quanto custa a mensalidade de Direito?');
    for (const questions of [0, 51, 'x'])
      expectWrong(await demo.call('getOutcomes', { ...wide, questions }), 'questions');
  });

  it('do not count rehearsals, and forget an erased person', async () => {
    await service.ask('Oi?', { reasoningConfig: { rehearsal: true } });
    const kept = await ask();
    const theirs = ok(
      await service.ask('Oi?', { userData: { name: 'Ana', email: 'ana@exemplo.test' } }),
    ).conversationId;
    for (const id of [kept, theirs]) await close(id);
    expect(countsOf(await outcomes())).to.deep.equal([2, 0, 0, 0, 0]);
    await erasePerson(service.db, demo.hostId, 'ana@exemplo.test');
    expect((await outcomes()).resolvedByAssistant).to.deep.include({ count: 1, conversations: [kept] });
  });
});
