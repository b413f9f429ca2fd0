import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { hold } from '../support/scripted-model.ts';
import { openProcesses, UNHURRIED_MS } from './processes.ts';

describe('a process that is told to stop', () => {
  const { service, spawn, spawnApi } = openProcesses({ requestTimeoutMs: UNHURRIED_MS });
  const { model } = service;

  it('answers what it has in hand, takes nothing more, and exits with 0: worker and api alike', async () => {
    const [worker, api] = await Promise.all([spawn(), spawnApi()]);
    const callsBefore = model.requests.length;
    const held = hold();
    model.script(held.script);
    const [first, second] = await Promise.all([service.newConversation(), service.newConversation()]);
    const inHand = api.service.ask('Em mãos?', { conversationId: first });
    await held.held;
    api.kill('SIGTERM');
    worker.kill('SIGTERM');
    const refused = () =>
      fetch(`${api.baseURL}/health/live`).then(
        () => false,
        () => true,
      );
    await eventually(refused, isRefused => isRefused);
    // With the response, the queue has the job.
    const headers = { prefer: 'respond-async' };
    const waiting = await service.ask('Depois?', { conversationId: second }, { headers });
    expect(waiting.status).to.equal(202);
    held.release();
    expect((await inHand).status).to.equal(200);
    expect(await Promise.all([api.ended, worker.ended])).to.deep.equal([0, 0]);
    expect(model.requests).to.have.length(callsBefore + 1);
    const successor = await spawn();
    await eventually(
      () => service.call(String(waiting.headers.get('location')), undefined, { method: 'GET' }),
      ({ body }) => body.data?.state === 'completed',
    );
    successor.kill('SIGTERM');
    expect(await successor.ended).to.equal(0);
  });
});
