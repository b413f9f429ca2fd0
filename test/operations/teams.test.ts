import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { giveBackUntaken } from '../../db/conversations/untaken.ts';
import { assertDefined } from '../support/assert-defined.ts';
import { expectRefused, expectWrong, ok } from '../support/contract.ts';
import { openEach } from '../support/opened.ts';
import type { Fields } from '../support/operation-calls.ts';
import { call, rounds, say } from '../support/scripted-model.ts';
import { type CallOptions, openService } from '../support/service.ts';

const DAY_MS = 86_400_000;
const [startDate, endDate] = [-DAY_MS, DAY_MS].map(each => new Date(Date.now() + each).toISOString());

describe('a team of a host', () => {
  const service = openService();
  const { db, model } = service;
  const demo = openEach(() => service.addHost());
  afterEach(() => model.say('Às 8h.'));

  const save = async (name: string, more: Fields = {}) =>
    ok(await demo.call('saveTeam', { name, ...more })) as { teamId: string };
  const begin = async () => ok(await demo.ask('Que horas abre?')).conversationId as string;
  const change = (conversationId: string, changes: Fields) =>
    demo.call('updateConversation', { conversationId, ...changes });
  const update = async (conversationId: string, changes: Fields = {}) =>
    ok(await change(conversationId, changes));
  const idsOf = async (filter: Fields, options: CallOptions = {}): Promise<string[]> =>
    ok(await demo.call('listConversations', filter, options)).items.map(({ id }: Fields) => id);
  const countUp = async () => ok(await demo.call('getAttendanceStats', { startDate, endDate }));

  describe('is saved', () => {
    it('with members, under a name of its own, and listed by name until it is deleted', async () => {
      const bia = await demo.addPerson('Bia');
      const { teamId } = await save('Financeiro', { description: 'Boletos.', personIds: [bia, bia] });
      const other = await save('acadêmico');
      expectWrong(await demo.call('saveTeam', { name: 'FINANCEIRO' }), 'name');
      expectWrong(await demo.call('saveTeam', { teamId, name: 'Acadêmico' }), 'name');
      const unknown = { name: 'Outra', personIds: [randomUUID()] };
      expectRefused(await demo.call('saveTeam', unknown), 'person-not-found');
      expectWrong(await demo.call('saveTeam', {}), 'name');
      ok(await demo.call('saveTeam', { id: teamId, description: 'Boletos e bolsas.' }));
      const listed = ok(await demo.call('listTeams', {})) as Fields[];
      expect(listed.map(({ name, description, personIds }) => [name, description, personIds])).to.deep.equal([
        ['acadêmico', '', []],
        ['Financeiro', 'Boletos e bolsas.', [bia]],
      ]);
      expect(ok(await demo.call('saveTeam', { ...other, deleted: true }))).to.include({ deleted: true });
      expectRefused(await demo.call('saveTeam', { ...other, name: 'De novo' }), 'team-not-found');
      expect(ok(await demo.call('listTeams', {}))).to.have.lengthOf(1);
      await save('Acadêmico');
    });
  });

  describe('is handed a conversation', () => {
    const handOver = (by: Fields, name = 'ask_human_help') =>
      model.script(rounds(call([[name, by]]), say('Chamei a equipe.')));
    const helpTool = () => {
      const offered = model.requests
        .at(-1)
        ?.tools?.find(({ function: { name } }) => name === 'ask_human_help');
      const { description, parameters } = assertDefined(offered).function;
      const { properties, required } = parameters as { properties: { team?: Fields }; required: string[] };
      return { description, names: Object.keys(properties), teams: properties.team?.['enum'], required };
    };

    it('by the model, which reads what each is for; a name that is not there costs nobody the handover', async () => {
      const before = ok(await demo.ask('Oi'));
      const plain = helpTool();
      expect(plain.names).to.deep.equal(['reason']);
      const { teamId } = await save('Financeiro', { description: 'Boletos e bolsas.' });
      await save('Biblioteca');
      handOver({ reason: 'customer_request', team: 'Financeiro' });
      const { conversationId, svcCompleteLog } = ok(
        await demo.ask('Quero negociar', { reasoningConfig: { svcCompleteLog: true } }),
      );
      const offered = helpTool();
      expect(offered.teams).to.deep.equal(['Biblioteca', 'Financeiro']);
      expect(offered.required).to.deep.equal(['reason']);
      expect(offered.description).to.include('- Financeiro: Boletos e bolsas.').and.include('- Biblioteca\n');
      expect(svcCompleteLog[0].handover).to.include({ by: 'model', teamId });
      expect(await update(conversationId)).to.include({ ask_human_help: true, team_id: teamId });
      for (const team of ['Tesouraria', '', null]) {
        handOver({ reason: 'customer_request', team });
        const other = ok(await demo.ask('Quero uma pessoa'));
        expect(other).to.include({ askHumanHelp: true });
        expect(await update(other.conversationId)).to.include({ team_id: null });
      }
      expect(before).to.include({ askHumanHelp: false });
    });

    it('by a step of a flow that names it, and no flow names one that is not there', async () => {
      const { teamId } = await save('Financeiro');
      const flow = (team: string) =>
        demo.call('saveFlow', {
          avatarId: demo.avatarId,
          decisionName: 'Cobrança',
          chainJson: [{ type: 'handoff', content: 'A pessoa quer negociar.', description: '', team }],
        });
      expectWrong(await flow('Tesouraria'), 'chainJson[0].team');
      for (const named of [teamId, 'financeiro']) {
        const { chainJson } = ok(await flow(named));
        expect(chainJson[0]).to.include({ team: named });
        handOver({}, 'handoff');
        expect(await update(ok(await demo.ask('Quero negociar')).conversationId)).to.include({
          team_id: teamId,
        });
      }
    });

    it('by staff, for whom it then waits; what waits for one that is deleted waits for everybody', async () => {
      const [bia, { teamId }] = [await demo.addPerson('Bia'), await save('Financeiro')];
      await demo.make('saveWebhook', {
        url: 'https://crm.example/',
        events: ['conversation.handover_requested'],
      });
      const [id, closed] = [await begin(), await begin()];
      await update(id, { assigned_person_id: bia });
      const passed = await update(id, { team_id: teamId });
      expect(passed).to.include({ team_id: teamId, ask_human_help: true, assigned_to: null });
      const [told] = await db('events').where({ conversation_id: id });
      expect(told.data).to.deep.equal({ conversationId: id, reason: 'caller_request', teamId });
      const both = await update(id, { team_id: teamId, assigned_person_id: bia });
      expect(both).to.include({ team_id: teamId, assigned_to: 'Bia' });
      await update(closed, { team_id: teamId });
      await update(closed, { closed: true });
      expectRefused(await change(id, { team_id: randomUUID() }), 'team-not-found');
      ok(await demo.call('saveTeam', { teamId, deleted: true }));
      expect(await update(id)).to.include({ team_id: null, ask_human_help: true });
      expect(await update(closed)).to.include({ team_id: teamId });
      expectRefused(await change(id, { team_id: teamId }), 'team-not-found');
    });
  });

  describe('is listed', () => {
    it('by a filter, and before the others for a person who is a member, page by page', async () => {
      const [bia, caio] = [await demo.addPerson('Bia'), await demo.addPerson('Caio')];
      const { teamId } = await save('Financeiro', { personIds: [bia] });
      const { teamId: other } = await save('Biblioteca', { personIds: [caio] });
      const ids: string[] = [];
      for (const team_id of [teamId, other, teamId, null]) {
        const id = await begin();
        await update(id, { team_id, ask_human_help: true });
        ids.push(id);
      }
      const [first, ofOther, third, ofNone] = ids;
      expect(await idsOf({ team_id: teamId })).to.deep.equal([third, first]);
      const readAll = async (filter: Fields, options?: CallOptions) => {
        const read: string[] = [];
        let cursor: string | undefined;
        do {
          const page = ok(await demo.call('listConversations', { ...filter, limit: 1, cursor }, options));
          read.push(...page.items.map(({ id }: Fields) => id));
          cursor = page.nextCursor ?? undefined;
        } while (cursor);
        return read;
      };
      const asBia = await demo.enter(bia);
      const own = { own_teams_first: true };
      expect(await readAll(own, asBia)).to.deep.equal([third, first, ofNone, ofOther]);
      expect(await readAll({ ...own, order: 'longest_wait' }, asBia)).to.deep.equal([
        first,
        third,
        ofOther,
        ofNone,
      ]);
      expect(await readAll({ ...own, order: 'longest_wait' })).to.deep.equal(ids);
      // Who writes again waits no shorter.
      await demo.call('appendMessage', { conversationId: first, author: 'user', content: 'Alô?' });
      expect(await idsOf({ order: 'longest_wait' })).to.deep.equal(ids);
      expect(await idsOf(own)).to.deep.equal([first, ofNone, third, ofOther]);
    });
  });

  describe('is given back what nobody took up', () => {
    /** As if so many minutes had passed: two workers look at once. */
    const pass = async (conversationId: string, minutes: number) => {
      const earlier = db.raw(`untaken_since - ? * interval '1 minute'`, [minutes]);
      await db('conversations').where({ id: conversationId }).update({ untaken_since: earlier });
      await Promise.all([giveBackUntaken(db), giveBackUntaken(db)]);
      return db('events').where({ conversation_id: conversationId });
    };
    const wait = async (reassign_after_minutes: number | null) =>
      ok(await demo.call('saveAttendance', { reassign_after_minutes }));

    it('once, and told, after the minutes of the host; who has written keeps it', async () => {
      await demo.make('saveWebhook', { url: 'https://crm.example/', events: ['conversation.reassigned'] });
      const [bia, caio] = [await demo.addPerson('Bia'), await demo.addPerson('Caio')];
      const { teamId } = await save('Financeiro');
      const [id, answered, ofNoTeam] = [await begin(), await begin(), await begin()];
      for (const each of [id, answered]) await update(each, { team_id: teamId, assigned_person_id: bia });
      await update(ofNoTeam, { ask_human_help: true, assigned_person_id: bia });
      expect(await pass(id, 60)).to.deep.equal([]);
      await wait(30);
      await update(id, { assigned_person_id: caio });
      expect(await pass(id, 29)).to.deep.equal([]);
      const [event, ...others] = await pass(id, 2);
      expect(others).to.deep.equal([]);
      expect(event.data).to.deep.equal({ conversationId: id, teamId, assignedPersonIds: [caio] });
      expect(await update(id)).to.include({ team_id: teamId, assigned_to: null, ask_human_help: true });
      expect(await pass(id, 60)).to.have.lengthOf(1);
      ok(await demo.call('appendMessage', { conversationId: answered, author: 'human', content: 'Oi!' }));
      for (const each of [answered, ofNoTeam]) {
        expect(await pass(each, 60)).to.deep.equal([]);
        expect(await update(each)).to.include({ assigned_to: 'Bia' });
      }
    });

    it('after five minutes to a week, or never, as who manages the host says', async () => {
      for (const minutes of [4, 10_081, 5.5, 'logo'])
        expectWrong(
          await demo.call('saveAttendance', { reassign_after_minutes: minutes }),
          'reassign_after_minutes',
        );
      expect(await wait(10_080)).to.include({ reassign_after_minutes: 10_080 });
      expect(await wait(null)).to.include({ reassign_after_minutes: null });
      expect(ok(await demo.call('readAttendance', {}))).to.deep.equal({
        labels: [],
        close_reasons: [],
        reassign_after_minutes: null,
      });
    });
  });

  describe('is counted', () => {
    it('by the requests for help that it was handed, beside those of no team: each once', async () => {
      const { teamId } = await save('Financeiro');
      const [answered, closed, waiting, ofNone] = [
        await begin(),
        await begin(),
        await begin(),
        await begin(),
      ];
      await begin();
      for (const id of [answered, closed, waiting]) await update(id, { team_id: teamId });
      await update(ofNone, { ask_human_help: true });
      for (const conversationId of [answered, closed])
        ok(await demo.call('appendMessage', { conversationId, author: 'human', content: 'Oi!' }));
      await update(closed, { closed: true });
      const { teams } = await countUp();
      const [financeiro, none] = teams;
      expect(financeiro.secondsUntilFirstAnswer).to.be.greaterThan(0);
      expect(financeiro).to.include({
        teamId,
        name: 'Financeiro',
        conversations: 3,
        answered: 2,
        waiting: 1,
        closed: 1,
      });
      expect(none).to.deep.include({
        teamId: null,
        name: '',
        conversations: 1,
        answered: 0,
        waiting: 1,
        closed: 0,
      });
      expect(teams).to.have.lengthOf(2);
    });
  });

  describe('chooses from the lists of its host', () => {
    beforeEach(async () =>
      ok(
        await demo.call('saveAttendance', {
          labels: ['Matrícula', 'Boleto', 'Boleto'],
          close_reasons: ['Resolvido', 'Sem retorno'],
        }),
      ),
    );

    it('up to ten labels, in their order, by which conversations are listed and counted', async () => {
      const [one, two] = [await begin(), await begin()];
      expect(await update(one, { labels: ['Boleto', 'Matrícula', 'Boleto'] })).to.deep.include({
        labels: ['Matrícula', 'Boleto'],
      });
      await update(two, { labels: ['Boleto'] });
      expectWrong(await change(two, { labels: ['Boleto', 'Outra'] }), 'labels[1]');
      expectWrong(await change(two, { labels: Array(11).fill('Boleto') }), 'labels');
      expect(await idsOf({ label: 'Boleto' })).to.deep.equal([two, one]);
      expect(await idsOf({ label: 'Matrícula' })).to.deep.equal([one]);
      expect((await countUp()).labels).to.deep.equal([
        { label: 'Boleto', conversations: 2 },
        { label: 'Matrícula', conversations: 1 },
      ]);
      // A label that leaves the list of the host stays where it is, until it is taken off.
      ok(await demo.call('saveAttendance', { labels: ['Bolsa'] }));
      expect(await update(one, { labels: ['Boleto', 'Bolsa'] })).to.deep.include({
        labels: ['Bolsa', 'Boleto'],
      });
      expectWrong(await change(one, { labels: ['Matrícula'] }), 'labels[0]');
      expect(await update(one, { labels: [] })).to.deep.include({ labels: [] });
    });

    it('a reason of closing, which it carries while it is closed, and reports count', async () => {
      const [one, two, three] = [await begin(), await begin(), await begin()];
      expect(await update(one, { closed: true, close_reason: 'Resolvido' })).to.include({
        close_reason: 'Resolvido',
      });
      await update(two, { closed: true, close_reason: 'Resolvido' });
      expect(await update(three, { closed: true })).to.include({ close_reason: null });
      expectWrong(await change(three, { closed: true, close_reason: 'Porque sim' }), 'close_reason');
      expectWrong(await change(three, { close_reason: 'Resolvido' }), 'close_reason');
      // What is sent again as it was read changes nothing.
      expect(await update(one, { closed: true })).to.include({ close_reason: 'Resolvido' });
      expect(await update(one, { closed: false })).to.include({ close_reason: null });
      expect((await countUp()).closeReasons).to.deep.equal([{ reason: 'Resolvido', conversations: 2 }]);
      expect(await update(one, { closed: true })).to.include({ close_reason: null });
      expect((await countUp()).closeReasons).to.deep.equal([{ reason: 'Resolvido', conversations: 1 }]);
    });
  });
});
