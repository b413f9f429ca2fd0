import { expect } from 'chai';
import { isAttendedBy, joinAttendants, listAttendants } from '../../console/pages/inbox/conversation.ts';

describe('the names of those who attend a conversation', () => {
  const team = ['Bia', 'Souza, Caio', 'Lima,Rui', 'Silva,, Ana, da secretaria,'];

  it('are as many as the people, whatever is in a name', () => {
    const assigned = { assigned_to: joinAttendants(team) };
    expect(listAttendants(assigned)).to.have.lengthOf(team.length);
    for (const name of team) expect(isAttendedBy(assigned, name), name).to.equal(true);
    expect(isAttendedBy(assigned, 'Souza')).to.equal(false);
  });

  it('stay the same when one more is added', () => {
    const [first = '', ...others] = team;
    let assigned = { assigned_to: joinAttendants([first]) };
    for (const name of others)
      assigned = { assigned_to: joinAttendants([...listAttendants(assigned), name]) };
    expect(assigned.assigned_to).to.equal(joinAttendants(team));
  });
});
