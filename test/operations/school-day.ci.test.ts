import { expect } from 'chai';
import { giveBackUntaken } from '../../db/conversations/untaken.ts';
import { ok } from '../support/contract.ts';
import { openEach } from '../support/opened.ts';
import type { Fields } from '../support/operation-calls.ts';
import { call, rounds, say } from '../support/scripted-model.ts';
import { type CallOptions, openService } from '../support/service.ts';

const DAY_MS = 86_400_000;
const [startDate, endDate] = [-DAY_MS, DAY_MS].map(each => new Date(Date.now() + each).toISOString());
const subjects = ['Financeiro', 'Matrícula', 'Biblioteca', 'Estágios'];
const COLLEAGUES_OF_A_TEAM = 3;
const CONVERSATIONS = 60;

interface Colleague {
  readonly personId: string;
  readonly call: CallOptions;
}

describe('a day of a school with four teams', () => {
  const service = openService();
  const { db, model } = service;
  const demo = openEach(() => service.addHost());

  const hire = async (): Promise<Colleague> => {
    // Many have the same name.
    const personId = await demo.addPerson('Maria Silva');
    return { personId, call: await demo.enter(personId) };
  };

  it('has each conversation answered by the team that was named, loses none, and its figures add up', async () => {
    const teams = new Map<string, readonly Colleague[]>();
    for (const name of subjects) {
      const people = await Promise.all(Array.from({ length: COLLEAGUES_OF_A_TEAM }, hire));
      const personIds = people.map(({ personId }) => personId);
      const { teamId } = ok(
        await demo.call('saveTeam', { name, description: `Assuntos de ${name}.`, personIds }),
      );
      teams.set(teamId, people);
    }
    const ids = [...teams.keys()];
    ok(await demo.call('saveAttendance', { close_reasons: ['Resolvido'], reassign_after_minutes: 5 }));
    model.script((request, response) => {
      const asked = request.messages.findLast(({ role }) => role === 'user')?.content ?? '';
      const team = subjects.find(each => asked.includes(each)) ?? '';
      const handsOver = call([['ask_human_help', { reason: 'customer_request', team }]]);
      return rounds(handsOver, say('Chamei a equipe.'))(request, response);
    });
    const begin = async (nth: number): Promise<string> =>
      ok(await demo.ask(`Preciso de ajuda: ${subjects[nth % subjects.length]}.`)).conversationId;
    const all = await Promise.all(Array.from({ length: CONVERSATIONS }, (_, nth) => begin(nth)));
    const teamOf = (id: string) => ids[all.indexOf(id) % ids.length] ?? '';

    // Every third is passed to somebody who is away, and goes back to its team.
    for (const [nth, conversationId] of all.entries()) {
      if (nth % 3 !== 0) continue;
      const [away] = teams.get(teamOf(conversationId)) ?? [];
      ok(await demo.call('updateConversation', { conversationId, assigned_person_id: away?.personId }));
    }
    const ofHost = () => db('conversations').where({ host_id: demo.hostId });
    await ofHost().update({ untaken_since: db.raw(`untaken_since - interval '6 minutes'`) });
    await Promise.all(Array.from({ length: 4 }, () => giveBackUntaken(db)));

    const waitingFor = async (colleague: Colleague): Promise<Fields[]> =>
      ok(
        await demo.call(
          'listConversations',
          { order: 'longest_wait', own_teams_first: true, closed: false, limit: 100 },
          colleague.call,
        ),
      ).items.filter(({ assigned_to }: Fields) => assigned_to === null);
    expect(await waitingFor([...teams.values()].flat()[0] as Colleague)).to.have.lengthOf(CONVERSATIONS);

    const answered = new Map<string, string>();
    /** Takes and answers what waits longest, until nothing waits for the own team. */
    const work = async (teamId: string, colleague: Colleague): Promise<void> => {
      for (;;) {
        const [first] = await waitingFor(colleague);
        if (first?.['team_id'] !== teamId) return;
        const conversationId = String(first['id']);
        const { personId } = colleague;
        ok(
          await demo.call(
            'updateConversation',
            { conversationId, assigned_person_id: personId },
            colleague.call,
          ),
        );
        const reply = { conversationId, author: 'human', content: 'Resolvido!', name: 'Maria Silva' };
        ok(await demo.call('appendMessage', reply, colleague.call));
        const closing = { conversationId, closed: true, close_reason: 'Resolvido' };
        ok(await demo.call('updateConversation', closing, colleague.call));
        answered.set(conversationId, personId);
      }
    };
    const shifts = [...teams].flatMap(([teamId, people]) => people.map(each => work(teamId, each)));
    await Promise.all(shifts);

    expect([...answered.keys()].toSorted()).to.deep.equal(all.toSorted());
    for (const [id, personId] of answered)
      expect(teams.get(teamOf(id))?.map(each => each.personId)).to.include(personId);
    const period = { startDate, endDate };
    const stats = ok(await demo.call('getAttendanceStats', period));
    const counted = stats.teams.map(({ teamId, conversations, answered, waiting, closed }: Fields) => [
      teamId,
      conversations,
      answered,
      waiting,
      closed,
    ]);
    const each = CONVERSATIONS / subjects.length;
    expect(counted).to.have.deep.members(ids.map(id => [id, each, each, 0, each]));
    expect(stats.closeReasons).to.deep.equal([{ reason: 'Resolvido', conversations: CONVERSATIONS }]);
    const members = ok(await demo.call('getTeamStats', period)) as { personId: string; messages: number }[];
    const wrote = members.reduce((sum, { messages }) => sum + messages, 0);
    expect(wrote).to.be.at.least(CONVERSATIONS);
    const people = [...teams.values()].flat().map(({ personId }) => personId);
    expect(people).to.include.members(members.map(({ personId }) => personId));
  });
});
