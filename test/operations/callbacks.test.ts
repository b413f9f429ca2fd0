import { expect } from 'chai';
import { erasePerson } from '../../db/person/erase-person.ts';
import { expectWrong } from '../support/contract.ts';
import { eventually } from '../support/eventually.ts';
import { openOnce } from '../support/opened.ts';
import { forgetJobs } from '../support/queue-store.ts';
import { startReceiver, verify } from '../support/receiver.ts';
import { hold, say } from '../support/scripted-model.ts';
import { openOwnService } from '../support/service.ts';

describe('the callback of a job', () => {
  const service = openOwnService({ egressAllowPrivate: true });
  const { demo, acme, model } = service;
  const receiver = openOnce(startReceiver);
  let secret: string;
  let webhookId: string;
  before(async () => {
    const webhook = { name: 'CRM', url: `${receiver.url}/events`, events: [] };
    ({ secret, webhookId } = (await demo.call('saveWebhook', webhook)).body.data);
  });
  beforeEach(() => {
    model.say('Das 9h às 18h.');
    receiver.received.length = 0;
  });

  const headers = (url = `${receiver.url}/done?of=me`) => ({
    prefer: 'respond-async',
    'x-callback-url': url,
  });
  const report = { startDate: '2026-01-01', endDate: '2026-01-31' };
  const whenTold = async (count = 1) => {
    await eventually(() => receiver.received.length, count);
    return receiver.received;
  };

  it('is sent to the address with what GET /jobs has, signed by the webhook of its origin', async () => {
    const { status, body } = await service.ask('Que horas?', {}, { headers: headers() });
    expect(status).to.equal(202);
    const [received] = await whenTold();
    if (!received) throw new Error('nothing was received');
    verify(secret, received);
    expect([received.path, received.body.type]).to.deep.equal(['/done?of=me', 'job.completed']);
    const { jobId } = body.data;
    const job = await service.call(`/jobs/${jobId}`);
    expect(received.body.data).to.deep.equal({ jobId, ...job.body.data });
    expect((received.body.data['data'] as typeof body).assistantResponse.string).to.equal('Das 9h às 18h.');
    const { body: list } = await demo.call('listDeliveries');
    expect(list.data.items[0]).to.deep.include({ webhookId, type: 'job.completed' });
  });

  it('is erased with a person whose conversations or words the reply has', async () => {
    const userData = { name: 'Rui', email: 'rui.canario@example.com' };
    for (const conversationId of [await service.newConversation(), await service.newConversation()])
      await service.ask('Onde fica o canário da reitoria?', { conversationId, userData });
    const [startDate, endDate] = [-1, 1].map(days => new Date(Date.now() + days * 86_400_000).toISOString());
    const outcomes = { startDate, endDate, questions: 5 };
    expect((await demo.call('getOutcomes', outcomes, { headers: headers() })).status).to.equal(202);
    await whenTold();
    const told = () =>
      service.db('events').where({ type: 'job.completed' }).whereRaw("data::text like '%canário%'");
    expect(await told()).to.have.length(1);
    await erasePerson(service.db, demo.hostId, userData.email);
    expect(await told()).to.deep.equal([]);
  });

  it('also tells of a report, and of a refusal', async () => {
    const asked = await demo.call('financialStats', report, { headers: headers() });
    expect(asked.status).to.equal(202);
    await service.ask('Oi?', { conversationId: crypto.randomUUID() }, { headers: headers() });
    const told = await whenTold(2);
    expect(told.map(({ body }) => body.data['code'])).to.include(404);
    const ofReport = told.find(({ body }) => body.data['jobId'] === asked.body.data.jobId);
    const job = await service.call(`/jobs/${asked.body.data.jobId}`);
    expect(ofReport?.body.data).to.deep.equal({ jobId: asked.body.data.jobId, ...job.body.data });
  });

  it('is sent once for a request that is repeated with its key', async () => {
    const conversationId = await service.newConversation();
    const held = hold(say('Uma vez.'));
    model.script(held.script);
    const both = { ...headers(), 'idempotency-key': 'k1' };
    const first = await service.ask('Oi?', { conversationId }, { headers: both });
    const second = await service.ask('Oi?', { conversationId }, { headers: both });
    expect(second.body.data.jobId).to.equal(first.body.data.jobId);
    await held.held;
    held.release();
    await whenTold();
    expect(await service.db('events').where({ conversation_id: conversationId })).to.have.length(1);
  });

  it('is sent again for a request whose key is used again after its reply has expired', async () => {
    const nightly = () =>
      demo.call('financialStats', report, { headers: { ...headers(), 'idempotency-key': 'nightly' } });
    for (let night = 1; night <= 2; night += 1) {
      const { body } = await nightly();
      await whenTold(night);
      await eventually(
        () => service.call(`/jobs/${body.data.jobId}`),
        answer => answer.body.data.state === 'completed',
      );
      await service.db('replies').update({ expires_at: service.db.fn.now() });
      await forgetJobs(service.settings);
    }
    const told = new Set(receiver.received.map(({ body }) => JSON.stringify(body.data)));
    expect(told).to.have.property('size', 1);
  });

  it('is sent for a turn that a newer one supersedes, too', async () => {
    const conversationId = await service.newConversation();
    const more = { conversationId, reasoningConfig: { burst: 'last' } };
    const held = hold(say('Para as duas.'));
    model.script(held.script);
    await service.ask('Oi?', more, { headers: headers() });
    await held.held;
    model.say('Para as duas.');
    const second = await service.ask('E hoje?', more, { headers: headers() });
    const told = await whenTold(2);
    const superseded = told.map(({ body }) => (body.data['data'] as Record<string, unknown>)['supersededBy']);
    expect(superseded.filter(id => id !== undefined)).to.deep.equal([second.body.data.jobId]);
    held.release();
  });

  for (const [why, url] of [
    ['of another origin', () => 'https://elsewhere.example/'],
    ['of another port', () => receiver.url.replace(/\d+$/, '1')],
    ['that is none', () => 'done'],
    ['with a password', () => receiver.url.replace('//', '//a:b@')],
  ] as const)
    it(`to an address ${why} is refused with 400, and nothing runs`, async () => {
      expectWrong(await service.ask('Oi?', {}, { headers: headers(url()) }), 'X-Callback-Url');
    });

  it('is refused without respond-async, for another host, and of a disabled webhook', async () => {
    const { prefer: _, ...only } = headers();
    expect((await service.ask('Oi?', {}, { headers: only })).status).to.equal(400);
    expect((await acme.call('financialStats', report, { headers: headers() })).status).to.equal(400);
    await demo.call('saveWebhook', { id: webhookId, enabled: false });
    expect((await service.ask('Oi?', {}, { headers: headers() })).status).to.equal(400);
  });
});
