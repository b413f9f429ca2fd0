import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { setHost } from '../../db/hosts/hosts.ts';
import { openConversation } from '../support/conversation.ts';
import { openOnce } from '../support/opened.ts';
import type { Fields } from '../support/operation-calls.ts';
import { fail, hold, type ModelScript, say } from '../support/scripted-model.ts';
import { withReceipt } from '../support/served-host.ts';
import { openOwnService, startApiBeside } from '../support/service.ts';

const requestTimeoutMs = 6_000;
const modelMs = 4_000;

describe('a turn that comes up with less time than any lately took', () => {
  const service = openOwnService();
  const hurried = openOnce(() => startApiBeside(service, { requestTimeoutMs }));
  const { model } = service;
  const conversation = openConversation(service);
  /** Two questions, of which the second waits for the first, which is slow, too, until it has less time than `modelMs`. */
  const askTwo = async (script: ModelScript) => {
    const held = hold(say('Certo.'));
    model.script((request, response) =>
      (request.messages.at(-1)?.content === 'Primeira?' ? held.script : script)(request, response),
    );
    const first = conversation.ask('Primeira?');
    await held.held;
    await delay(modelMs);
    const second = hurried.ask('Segunda?', { conversationId: conversation.id });
    await delay(requestTimeoutMs - modelMs + 200);
    held.release();
    return Promise.all([first, second]);
  };
  const slow: ModelScript = async (request, response) => {
    await delay(modelMs);
    await say('Certo.')(request, response);
  };

  it('is refused at once, with its question kept, and the model is not asked in vain', async () => {
    model.script(slow);
    const others = await Promise.all(Array.from({ length: 10 }, () => service.ask('Oi?')));
    expect(others.map(({ status }) => status)).to.deep.equal(others.map(() => 200));
    const calls = model.requests.length;
    const [first, { status, headers, data }] = await askTwo(slow);
    expect([first.status, status]).to.deep.equal([200, 503]);
    expect(headers.get('retry-after')).to.match(/^\d+$/);
    expect(model.requests.length).to.equal(calls + 1);
    const refused = (await conversation.turns()).find(({ id }) => id === data.turnId);
    expect(refused?.state).to.equal('unanswered');
    const said = ['user: Primeira?', 'assistant: Certo.', 'user: Segunda?'];
    expect(await conversation.said()).to.deep.equal(said);
  });

  it('is answered all the same where those were of a slower model', async () => {
    await service.db('avatars').where({ host_id: service.demo.hostId }).update({ model: 'quick' });
    expect((await askTwo(say('Certo.'))).map(({ status }) => status)).to.deep.equal([200, 200]);
  });

  it('says which models were silent or failed until then where it is handed over, in answer and receipt', async () => {
    const demo = { host_id: service.demo.hostId };
    await service.db('avatars').where(demo).update({ model: 'quick', on_failure: 'handoff' });
    await setHost(service.db, 'demo', { modelFallbacks: ['silent'] });
    model.script((request, response) =>
      request.model === 'silent' ? undefined : fail(500)(request, response),
    );
    // A handover keeps a quarter of the time for itself, of eight seconds the most.
    const beside = await startApiBeside(service, { requestTimeoutMs: 8_000 });
    const { status, data, receipt } = await beside.ask('Oi?', withReceipt);
    await beside.close();
    const told = ({ name, status: code, error }: Fields) =>
      `${String(name)} ${String(code)} ${String(error)}`;
    expect([status, data.askHumanHelp]).to.deep.equal([200, true]);
    const tried = ['model:quick 500 refused with 500', 'model:silent 0 aborted'];
    expect(data.restStatus.map(told)).to.deep.equal(tried);
    const { modelCalls } = receipt;
    expect(modelCalls.map(told)).to.deep.equal(['quick 500 refused with 500', 'silent 0 aborted']);
    expect(modelCalls[1].durationMs).to.be.above(1_000);
  });
});
