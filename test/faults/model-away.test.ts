import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { fail, hold } from '../support/scripted-model.ts';
import { openOwnService } from '../support/service.ts';

const turnsAtOnce = 20;

describe('a language model that cannot be had', () => {
  const service = openOwnService({ requestTimeoutMs: 30_000 });
  const { model } = service;
  beforeEach(() => void service.logged.splice(0));

  const told = () =>
    service.logged
      .map(line => JSON.parse(line))
      .flatMap(({ event }) => (/^(model|turn)\.(?!finished$)/.test(event) ? [event] : []));
  const askAll = async () => {
    const asked = Array.from({ length: turnsAtOnce }, () => service.ask('Oi?'));
    return (await Promise.all(asked)).map(({ status }) => status);
  };

  it('is told of in one line when it goes and one when it is back, however many turns it fails', async () => {
    model.script(fail(503));
    expect(new Set(await askAll())).to.deep.equal(new Set([503]));
    expect(told()).to.deep.equal(['model.lost']);
    expect(service.logged.filter(line => line.includes('"stack"'))).to.deep.equal([]);
    model.say('De volta.');
    await eventually(
      async () => {
        expect((await service.ask('Voltou?')).status).to.equal(200);
        return told();
      },
      events => events.includes('model.back'),
    );
    expect(told()).to.deep.equal(['model.lost', 'model.back']);
  });

  it('is not taken for away because of who leaves before it has answered', async () => {
    const held = hold();
    model.script(held.script);
    const leaving = new AbortController();
    const calls = model.requests.length;
    const conversationId = await service.newConversation();
    const asked = service.ask('Espera.', { conversationId }, { signal: leaving.signal }).catch(() => 'left');
    await eventually(
      () => model.requests.length,
      seen => seen > calls,
    );
    leaving.abort();
    expect(await asked).to.equal('left');
    await eventually(
      () => service.db('turns').where({ conversation_id: conversationId, state: 'unanswered' }),
      { length: 1 },
    );
    held.release();
    expect(told()).to.deep.equal([]);
  });

  it('that only says nothing is told of in one line for all turns of a minute', async () => {
    model.script(fail(404));
    expect(new Set(await askAll())).to.deep.equal(new Set([503]));
    expect(told()).to.deep.equal(['turn.no_answer']);
  });
});
