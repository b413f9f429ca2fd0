import { expect } from 'chai';
import {
  type AskedCall,
  type KnownCall,
  knownCallsOf,
  purgeToolConfirmations,
  storeAskedCalls,
} from '../../db/conversations/tool-confirmations.ts';
import { claimTurn, finishTurn } from '../../db/conversations/turns.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';

describe('the calls that asked for a yes', () => {
  const { db } = openOnce(makeDatabase);

  it('wait only for a question that came after the answer that asks, however late it is known', async () => {
    const { hostId, conversationId, inHost } = await buildHost(db);
    const claim = (turnId: string, arrivedAt: number) =>
      inHost(async scope => {
        const times = { arrivedAt, remainingMs: () => 60_000, leaseMs: 60_000 };
        await claimTurn(scope, { ...times, turnId, conversationId, question: 'Sim?' });
        const place = { conversationId, turnId, queueNow: Date.now() };
        const [row] = await rowsOf<{ known: KnownCall[] }>(
          scope.tx,
        )`select ${knownCallsOf(hostId, place)} as known`;
        return row?.known.map(({ key }) => key);
      });
    const finish = (turnId: string, asks: readonly AskedCall[]) =>
      inHost(async scope => {
        await storeAskedCalls(scope, { conversationId, turnId }, asks);
        await finishTurn(scope, { turnId, attempt: 1, answer: 'Pago?', tokens: [], receipt: null });
      });
    const call = { key: 'x', name: 'pagar', arguments: '{}' };
    await claim('first', Date.now() - 10_000);
    await finish('first', [call]);
    expect(await claim('early', Date.now() - 5_000)).to.deep.equal([]);
    await finish('early', [call]);
    expect(await claim('late', Date.now())).to.deep.equal(['x']);
  });

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
