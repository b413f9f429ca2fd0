import { expect } from 'chai';
import { purgeToolConfirmations } from '../../db/conversations/tool-confirmations.ts';
import { buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';

describe('the calls that asked for a yes', () => {
  const { db } = openOnce(makeDatabase);

  it('are deleted after a day, also those of which nobody knows whether they arrived', async () => {
    const { conversationId, hostId } = await buildHost(db);
    const asked = {
      host_id: hostId,
      conversation_id: conversationId,
      name: 'pagar',
      arguments: '{}',
      asked_turn: 'k1',
    };
    const called = { state: 'called', called_turn: 'k2', called_at: new Date(), asked_at: new Date(0) };
    await db('tool_confirmations').insert({ ...asked, ...called, key: 'old' });
    expect(await purgeToolConfirmations(db)).to.equal(1);
    expect(await db('tool_confirmations').where({ host_id: hostId })).to.have.length(1);
  });
});
