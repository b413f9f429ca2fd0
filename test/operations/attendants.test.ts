import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { expectRefused, expectWrong, ok } from '../support/contract.ts';
import { openEach } from '../support/opened.ts';
import type { Fields } from '../support/operation-calls.ts';
import { type CallOptions, openService } from '../support/service.ts';

const DAY_MS = 86_400_000;
/** The day before and the day after this time from now on. */
const around = (ms: number) => {
  const [startDate, endDate] = [-DAY_MS, DAY_MS].map(each => new Date(Date.now() + ms + each).toISOString());
  return { startDate, endDate };
};

describe('who attends a conversation', () => {
  const service = openService();
  const demo = openEach(() => service.addHost());

  const add = async (name: string, role = 'agent') => {
    const person = { name, role, email: `${randomUUID()}@horizonte.example` };
    return { ...person, ...ok(await demo.call('savePerson', person)) } as { personId: string; email: string };
  };
  const begin = async () => ok(await demo.ask('Que horas abre?')).conversationId as string;
  const update = async (conversationId: string, changes: Fields = {}) =>
    ok(await demo.call('updateConversation', { conversationId, ...changes }));
  const assignedOf = ({ assigned_to, assigned_person_id, assigned_person_ids }: Fields) => [
    assigned_to,
    assigned_person_id,
    assigned_person_ids,
  ];
  const idsOf = async (filter: Fields) =>
    ok(await demo.call('listConversations', filter)).items.map(({ id }: Fields) => id) as string[];

  it('is a person: two of the same name are told apart in its state, in lists and by a filter', async () => {
    const [bia, other] = [await add('Bia Souza'), await add('Bia Souza')];
    const [theirs, shared] = [await begin(), await begin()];
    const assigned = await update(theirs, { assigned_person_id: other.personId });
    expect(assignedOf(assigned)).to.deep.equal(['Bia Souza', other.personId, [other.personId]]);
    const information = await demo.call('getConversationInformation', { conversationId: theirs });
    expect(ok(information)).to.deep.equal(assigned);
    const spelt = { assigned_person_id: other.personId.toUpperCase(), assigned_person_ids: [other.personId] };
    expect(assignedOf(await update(theirs, spelt))).to.deep.equal(assignedOf(assigned));
    await update(shared, { assigned_person_ids: [other.personId, bia.personId] });
    expect(await idsOf({ assigned_person_id: bia.personId })).to.deep.equal([shared]);
    expect(await idsOf({ assigned_person_id: other.personId })).to.deep.equal([shared, theirs]);
    const [first] = ok(await demo.call('listConversations', { assigned_to: 'Bia Souza, Bia Souza' })).items;
    const both = [other.personId, bia.personId];
    expect(assignedOf(first)).to.deep.equal(['Bia Souza, Bia Souza', other.personId, both]);
    for (const nobody of [{ assigned_person_id: null }, { closed: true }]) {
      expect(assignedOf(await update(theirs, nobody))).to.deep.equal([null, null, []]);
      await update(theirs, { closed: false, assigned_person_id: bia.personId });
    }
  });

  it('is nobody of the host where a caller gives a name, who may stand beside people of it', async () => {
    const { personId } = await add('Bia Souza');
    const id = await begin();
    expect(assignedOf(await update(id, { assigned_to: 'Bia Souza' }))).to.deep.equal(['Bia Souza', null, []]);
    const beside = { assigned_person_ids: [personId], assigned_to: 'Outra, Central' };
    const kept = ['Bia Souza, Central', personId, [personId]];
    expect(assignedOf(await update(id, beside))).to.deep.equal(kept);
    // A value that is sent back as it was read changes nothing.
    expect(assignedOf(await update(id, { assigned_to: 'Bia Souza, Central' }))).to.deep.equal(kept);
    expect(assignedOf(await update(id, { assigned_to: 'Central' }))).to.deep.equal(['Central', null, []]);
    const named = { assigned_to: 'Bia Souza', assigned_person_id: null };
    expect(assignedOf(await update(id, named))).to.deep.equal(['Bia Souza', null, []]);
  });

  it('is no person whom the host does not have, and nothing changes then', async () => {
    const id = await begin();
    const foreign = { name: 'Rui', role: 'agent', email: 'rui@acme.example' };
    const { personId } = ok(await service.acme.call('savePerson', foreign));
    const change = (changes: Fields) =>
      demo.call('updateConversation', { conversationId: id, archived: true, ...changes });
    for (const unknown of [randomUUID(), personId])
      for (const changes of [{ assigned_person_id: unknown }, { assigned_person_ids: [unknown] }])
        expectRefused(await change(changes), 'person-not-found');
    expect(await update(id)).to.include({ archived: false, assigned_to: null });
    expectWrong(await change({ assigned_person_id: 'x' }), 'assigned_person_id');
  });

  it('is shown by the present name, and stays who attends while disabled', async () => {
    const [bia, caio] = [await add('Bia Souza'), await add('Caio')];
    const id = await begin();
    await update(id, { assigned_person_ids: [caio.personId, bia.personId], assigned_to: 'x, y, Central' });
    ok(await demo.call('savePerson', { id: bia.personId, name: 'Bia Lima,  Dra.', disabled: true }));
    const both = [caio.personId, bia.personId];
    expect(assignedOf(await update(id))).to.deep.equal(['Caio, Bia Lima Dra., Central', caio.personId, both]);
  });

  it('is counted by person in reports, with what they wrote under an earlier name', async () => {
    const [bia, other] = [await add('Bia Souza'), await add('Bia Souza')];
    const id = await begin();
    const message = { conversationId: id, author: 'human', content: 'Oi' };
    const write = async (options: CallOptions, name: string) =>
      ok(await demo.call('appendMessage', { ...message, name }, options));
    await update(id, { ask_human_help: true });
    const own = await demo.enter(bia.personId);
    await write(own, 'Bia Souza');
    ok(await demo.call('savePerson', { id: bia.personId, name: 'Bia Lima' }));
    await write(own, 'Bia Lima');
    await write(await demo.enter(other.personId), 'Bia Souza');
    // A caller who knows the name is not the person.
    await write({}, 'Bia Souza');
    const items = ok(await demo.call('listMessages', { conversationId: id })).items as Fields[];
    const writers = [bia.personId, bia.personId, other.personId, null];
    expect(items.slice(-4).map(({ personId }) => personId)).to.deep.equal(writers);
    for (const options of [own, await demo.enter(other.personId), {}])
      ok(await demo.call('appendMessage', { ...message, author: 'note', name: 'Bia Souza' }, options));
    const withNotes = ok(await demo.call('listMessages', { conversationId: id, notes: true }))
      .items as Fields[];
    const ofNotes = withNotes.filter(({ author }) => author === 'note').map(({ personId }) => personId);
    expect(ofNotes).to.deep.equal([bia.personId, other.personId, null]);
    const [{ last_message }] = ok(await demo.call('listConversations', { limit: 1 })).items;
    expect(last_message).to.include({ name: 'Bia Souza', personId: null });
    const team = ok(await demo.call('getTeamStats', around(0))) as Fields[];
    const told = team.map(({ personId, name, email, messages, secondsUntilFirstAnswer: seconds }) => [
      personId,
      name,
      email,
      messages,
      seconds === null,
    ]);
    expect(told).to.deep.equal([
      [bia.personId, 'Bia Lima', bia.email, 2, false],
      [null, 'Bia Souza', '', 1, true],
      [other.personId, 'Bia Souza', other.email, 1, true],
    ]);
  });

  it('has answered a request for help once and for all, whatever is asked for later', async () => {
    const conversationId = await begin();
    const write = () =>
      demo.call('appendMessage', { conversationId, author: 'human', content: 'Oi', name: 'Bia' });
    await update(conversationId, { ask_human_help: true });
    ok(await write());
    ok(await write());
    const { db } = service;
    const earlier = (column: string) => ({ [column]: db.raw(`${column} - interval '30 days'`) });
    await db('messages')
      .where({ conversation_id: conversationId })
      .update({ ...earlier('created_at'), ...earlier('help_asked_at') });
    await db('conversations').where({ id: conversationId }).update(earlier('help_asked_at'));
    const readPast = async () => ok(await demo.call('getTeamStats', around(-30 * DAY_MS)));
    const past = await readPast();
    expect(past).to.have.lengthOf(1);
    expect(past[0].secondsUntilFirstAnswer).to.be.greaterThan(0);
    await update(conversationId, { ask_human_help: false });
    await update(conversationId, { ask_human_help: true });
    ok(await write());
    expect(await readPast()).to.deep.equal(past);
  });
});
