import { expect } from 'chai';
import { nameApart } from '../../console/format.ts';
import {
  type Attendant,
  assign,
  isAttendedBy,
  keyOf,
  listAttendants,
} from '../../console/pages/inbox/conversation.ts';

describe('those who attend a conversation', () => {
  const named = (name: string): Attendant => ({ personId: null, name });
  const bia = { personId: 'b', name: 'Bia Souza' };
  const other = { personId: 'o', name: 'Bia Souza' };
  const team = [named('Bia'), named('Souza, Caio'), bia, named('Silva,, Ana, da secretaria,'), other];

  it('are as many as the people, whatever is in a name, also when one more is added', () => {
    const [first = bia, ...others] = team;
    let assigned = assign([first]);
    for (const each of others) assigned = assign([...listAttendants(assigned), each]);
    expect(listAttendants(assigned).map(keyOf)).to.have.members(team.map(keyOf));
    for (const each of team) expect(isAttendedBy(assigned, each), each.name).to.equal(true);
    expect(isAttendedBy(assigned, named('Souza'))).to.equal(false);
    expect(assign([])).to.deep.equal({ assigned_to: null, assigned_person_ids: [] });
  });

  it('are told apart by their ids: a name is nobody of the host', () => {
    expect(isAttendedBy(assign([bia]), other)).to.equal(false);
    expect(isAttendedBy(assign([bia]), named('Bia Souza'))).to.equal(false);
    expect(isAttendedBy(assign([named('Bia Souza')]), bia)).to.equal(false);
    expect(isAttendedBy(assign([{ ...bia, name: 'Bia Lima' }]), bia)).to.equal(true);
  });

  it('are shown with their e-mail where names look the same', () => {
    const people = ['Bia Souza', 'bia  souza', 'Caio'].map((name, nth) => ({
      name,
      email: `${nth}@a.example`,
    }));
    const shown = people.map(each => nameApart(each, people));
    expect(shown).to.deep.equal(['Bia Souza (0@a.example)', 'bia  souza (1@a.example)', 'Caio']);
  });
});
