import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { setHost } from '../../db/hosts/hosts.ts';
import { recordsOf } from '../support/conversation-records.ts';
import { eventually } from '../support/eventually.ts';
import { fail, say } from '../support/scripted-model.ts';
import { openOwnService } from '../support/service.ts';

const requestTimeoutMs = 6_000;
const modelMs = 2_400;

describe('a turn that comes up with less time than any lately took', () => {
  const service = openOwnService({ requestTimeoutMs });
  const { model } = service;

  it('is refused at once, with its question kept, and the model is not asked in vain', async () => {
    model.script(async (request, response) => {
      const isFirst = request.messages.at(-1)?.content === 'Primeira?';
      await delay(isFirst ? requestTimeoutMs - 1_800 : modelMs);
      await say('Certo.')(request, response);
    });
    const others = await Promise.all(Array.from({ length: 10 }, () => service.ask('Oi?')));
    expect(others.map(({ status }) => status)).to.deep.equal(others.map(() => 200));
    const conversationId = await service.newConversation();
    const calls = model.requests.length;
    const first = service.ask('Primeira?', { conversationId });
    await eventually(() => model.requests.length, calls + 1);
    const second = service.ask('Segunda?', { conversationId });
    expect((await first).status).to.equal(200);
    const { status, headers, body } = await second;
    expect(status).to.equal(503);
    expect(headers.get('retry-after')).to.match(/^\d+$/);
    expect(model.requests.length).to.equal(calls + 1);
    const { turns, said } = await recordsOf(service.db, conversationId);
    expect(turns.find(({ id }) => id === body.data.turnId)?.state).to.equal('unanswered');
    expect(said.map(({ content }) => content)).to.deep.equal(['Primeira?', 'Certo.', 'Segunda?']);
  });

  it('is answered all the same where those were of a slower model', async () => {
    model.script(async (request, response) => {
      if (request.messages.at(-1)?.content === 'Primeira?') await delay(requestTimeoutMs - 1_800);
      await say('Certo.')(request, response);
    });
    await service.db('avatars').where({ host_id: service.demo.hostId }).update({ model: 'quick' });
    const conversationId = await service.newConversation();
    const calls = model.requests.length;
    const first = service.ask('Primeira?', { conversationId });
    await eventually(() => model.requests.length, calls + 1);
    const second = service.ask('Segunda?', { conversationId });
    expect([(await first).status, (await second).status]).to.deep.equal([200, 200]);
  });

  it('says which models were silent or failed until then where it is handed over, in answer and receipt', async () => {
    const demo = { host_id: service.demo.hostId };
    await service.db('avatars').where(demo).update({ model: 'quick', on_failure: 'handoff' });
    await setHost(service.db, 'demo', { modelFallbacks: ['silent'] });
    model.script((request, response) =>
      request.model === 'silent' ? undefined : fail(500)(request, response),
    );
    const { status, body } = await service.ask('Oi?', { reasoningConfig: { svcCompleteLog: true } });
    const told = ({ name, status: code, error }: { name: string; status: number; error: string }) =>
      `${name} ${code} ${error}`;
    expect([status, body.data.askHumanHelp]).to.deep.equal([200, true]);
    expect(body.data.restStatus.map(told)).to.deep.equal([
      'model:quick 500 refused with 500',
      'model:silent 0 aborted',
    ]);
    const [{ modelCalls }] = body.data.svcCompleteLog;
    expect(modelCalls.map(told)).to.deep.equal(['quick 500 refused with 500', 'silent 0 aborted']);
    expect(modelCalls[1].durationMs).to.be.above(1_000);
  });
});
