import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { hold } from '../support/scripted-model.ts';
import { PUBLIC, type Service, startService } from '../support/service.ts';
import { endAll, type SpawnedProcess, spawnApi, spawnWorker } from '../support/spawned-process.ts';

describe('a process that is told to stop', () => {
  let service: Service;
  const processes: SpawnedProcess[] = [];
  before(async () => {
    service = await startService({ workers: false, requestTimeoutMs: 60_000 });
  });
  after(async () => {
    await endAll(processes);
    await service.close();
  });

  it('answers what it has in hand, takes nothing more, and exits with 0: worker and api alike', async () => {
    const [worker, api] = await Promise.all([spawnWorker(service), spawnApi(service)]);
    processes.push(worker, api);
    const callsBefore = service.model.requests.length;
    const held = hold();
    service.model.script(held.script);
    const ask = async (question: string, baseURL = api.baseURL) => {
      const conversationId = await conversations.pop();
      return fetch(`${baseURL}${PUBLIC}/svcReasoning`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.demo.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ hostId: service.demo.hostId, conversationId, question }),
      });
    };
    const conversations = [service.newConversation(), service.newConversation(), service.newConversation()];
    const inHand = ask('Em mãos?');
    await held.held;
    api.kill('SIGTERM');
    worker.kill('SIGTERM');
    const refused = () =>
      fetch(`${api.baseURL}/health/live`).then(
        () => false,
        () => true,
      );
    await eventually(refused, isRefused => isRefused);
    const waiting = ask('Depois?', service.baseURL);
    const successor = await spawnWorker(service);
    processes.push(successor);
    await eventually(
      () => service.model.requests.length,
      calls => calls === callsBefore + 2,
      60_000,
    );
    held.release();
    expect((await inHand).status).to.equal(200);
    expect((await waiting).status).to.equal(200);
    expect(await Promise.all([api.ended, worker.ended])).to.deep.equal([0, 0]);
    successor.kill('SIGTERM');
    expect(await successor.ended).to.equal(0);
  });
});
