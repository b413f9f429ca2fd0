import { expect } from 'chai';
import { listMessageTexts } from '../support/conversation-records.ts';
import { eventually } from '../support/eventually.ts';
import { hold, say } from '../support/scripted-model.ts';
import { PUBLIC, type Service, startService } from '../support/service.ts';
import { endAll, type SpawnedApi, spawnApi } from '../support/spawned-process.ts';

describe('an api process that is killed', () => {
  let service: Service;
  let api: SpawnedApi;
  before(async () => {
    service = await startService();
    api = await spawnApi(service);
  });
  after(async () => {
    await endAll([api]);
    await service.close();
  });

  it('leaves its turns running, and gives each one answer to who retries elsewhere under its key', async () => {
    const held = hold(say(request => `R ${request.messages.at(-1)?.content}`));
    service.model.script(held.script);
    const asked = await Promise.all(
      ['cedo', 'tarde', 'nunca'].map(async key => ({ key, conversationId: await service.newConversation() })),
    );
    const bodyOf = (key: string, conversationId: string) => ({
      hostId: service.demo.hostId,
      conversationId,
      question: `${key}?`,
    });
    const headersOf = (key: string) => ({
      authorization: `Bearer ${service.demo.token}`,
      'content-type': 'application/json',
      ...(key === 'nunca' ? {} : { 'idempotency-key': key }),
    });
    const lost = asked.map(({ key, conversationId }) =>
      fetch(`${api.baseURL}${PUBLIC}/svcReasoning`, {
        method: 'POST',
        headers: headersOf(key),
        body: JSON.stringify(bodyOf(key, conversationId)),
      }).then(
        () => false,
        () => true,
      ),
    );
    await eventually(
      () => service.model.requests.length,
      calls => calls === 3,
    );
    api.kill('SIGKILL');
    expect(await Promise.all(lost)).to.deep.equal([true, true, true]);

    const retry = ({ key, conversationId }: (typeof asked)[number]) =>
      service.call(`${PUBLIC}/svcReasoning`, bodyOf(key, conversationId), {
        headers: { 'idempotency-key': key },
      });
    const [early, late, unkeyed] = asked as [
      (typeof asked)[number],
      (typeof asked)[number],
      (typeof asked)[number],
    ];
    const waiting = retry(early);
    held.release();
    const answered = await waiting;
    expect(answered.body.data.assistantResponse.string).to.equal('R cedo?');
    const said = async () =>
      Promise.all(asked.map(({ conversationId }) => listMessageTexts(service.db, conversationId)));
    const all = await eventually(said, seen => seen.every(messages => messages.length === 2));
    expect(all).to.deep.equal(asked.map(({ key }) => [`user: ${key}?`, `assistant: R ${key}?`]));
    const found = await retry(late);
    expect(found.body.data.assistantResponse.string).to.equal('R tarde?');
    expect(service.model.requests).to.have.length(3);
    const next = await service.ask('E agora?', { conversationId: unkeyed.conversationId });
    expect(next.status).to.equal(200);
    expect(await said()).to.have.nested.property('[0].length', 2);
  });
});
