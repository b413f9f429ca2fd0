import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { openConversation } from '../support/conversation.ts';
import { eventually } from '../support/eventually.ts';
import { hold, say } from '../support/scripted-model.ts';
import { type CallOptions, openService } from '../support/service.ts';
import { watchQueue } from './queue-watch.ts';

describe('a client that goes away', () => {
  const service = openService({ requestTimeoutMs: 300_000 });
  const { model } = service;
  const conversation = openConversation(service);
  beforeEach(() => model.say('Certo.'));

  const ask = (question: string, options: CallOptions = {}) => conversation.ask(question, {}, options);
  const leaving = (question: string, headers: Record<string, string> = {}) => {
    const client = new AbortController();
    const left = ask(question, { headers, signal: client.signal }).then(
      () => false,
      () => true,
    );
    return { left, leave: () => client.abort() };
  };

  it('has its turn cancelled, down to the call of the model, and its question kept', async () => {
    const called = new Promise<ServerResponse>(resolve =>
      model.script((_request, response) => resolve(response)),
    );
    const { left, leave } = leaving('Esquece?');
    const response = await called;
    const closed = once(response, 'close');
    leave();
    expect(await left).to.equal(true);
    await closed;
    expect(response.writableFinished).to.equal(false);
    await eventually(conversation.states, ['unanswered']);
    model.say('Certo.');
    expect((await ask('E agora?')).status).to.equal(200);
    expect(await conversation.said()).to.deep.equal([
      'user: Esquece?',
      'user: E agora?',
      'assistant: Certo.',
    ]);
  });

  it('is not answered at all when its turn had not begun', async () => {
    const calls = model.requests.length;
    const held = hold();
    model.script(held.script);
    const queue = await watchQueue(service, 'turns');
    const first = ask('Primeira?');
    await held.held;
    const { left, leave } = leaving('Segunda?');
    await queue.hasTaken(2);
    leave();
    expect(await left).to.equal(true);
    const last = ask('Terceira?');
    await queue.hasTaken(3);
    await queue.close();
    held.release();
    expect([(await first).status, (await last).status]).to.deep.equal([200, 200]);
    const asked = model.requests.slice(calls).map(({ messages }) => messages.at(-1)?.content);
    expect(asked).to.deep.equal(['Primeira?', 'Terceira?']);
  });

  it('finds its answer under its Idempotency-Key when it comes back', async () => {
    const calls = model.requests.length;
    const held = hold(say('Guardada.'));
    model.script(held.script);
    const headers = { 'idempotency-key': 'volto' };
    const { left, leave } = leaving('Espera?', headers);
    await held.held;
    leave();
    expect(await left).to.equal(true);
    held.release();
    await eventually(conversation.states, ['answered']);
    const back = await ask('Espera?', { headers });
    expect([back.status, back.text]).to.deep.equal([200, 'Guardada.']);
    expect((await ask('Espera?', { headers })).body).to.deep.equal(back.body);
    expect(model.requests).to.have.length(calls + 1);
    expect(await conversation.said()).to.deep.equal(['user: Espera?', 'assistant: Guardada.']);
  });
});
