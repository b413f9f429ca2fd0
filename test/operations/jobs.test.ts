import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { rowsOf } from '../../db/rows-of.ts';
import { expectWrong } from '../support/contract.ts';
import { eventually } from '../support/eventually.ts';
import { makeDataset, sendDocument, untilImported } from '../support/imports.ts';
import { forgetJobs } from '../support/queue-store.ts';
import { fail, hold, say } from '../support/scripted-model.ts';
import { openOwnService, openService, type Service } from '../support/service.ts';

const async = { prefer: 'respond-async' };

describe('a turn asked with Prefer: respond-async', () => {
  const service = openOwnService({ workerConcurrency: 1 });
  const { demo, acme, model } = service;
  beforeEach(() => model.say('Às **8h**.'));

  const jobAt = (location: string, token = service.demo.token) =>
    service.call(location, undefined, { token });
  const ended = (location: string) =>
    eventually(
      () => jobAt(location),
      ({ body }) => !['queued', 'running'].includes(body.data?.state),
    );
  const start = async (question: string, more: object = {}, headers: object = {}): Promise<string> => {
    const answer = await service.ask(question, { ...more }, { headers: { ...async, ...headers } });
    expect(answer.status).to.equal(202);
    return answer.headers.get('location') ?? '';
  };

  it('is answered with 202 and the place of its reply, before it is worked on', async () => {
    const held = hold();
    model.script(held.script);
    const { status, headers, body } = await service.ask('Que horas abre?', {}, { headers: async });
    const { jobId } = body.data;
    const accepted = { code: 202, message: 'Accepted', data: { jobId, state: 'queued' } };
    expect([status, body, headers.get('location')]).to.deep.equal([202, accepted, `/jobs/${jobId}`]);
    expect(headers.get('preference-applied')).to.equal('respond-async');
    held.release();
    await ended(`/jobs/${jobId}`);
  });

  it('is found by its id in the path, and what else the query has is named', async () => {
    const location = await start('Que horas abre?');
    const { body } = await ended(location);
    const asked = await jobAt(`${location}?verbose=1&job_id=${location.slice('/jobs/'.length)}`);
    expect([asked.status, asked.body.data]).to.deep.equal([200, body.data]);
    expect(asked.headers.get('parley-ignored-fields')).to.equal('verbose');
    expectWrong(await jobAt(`${location}?job_id=another`), 'job_id', /^must equal jobId$/);
  });

  it('is queued, running and then completed with the reply that a waiting client would have had', async () => {
    const held = hold(say('Às **8h**.'));
    model.script(held.script);
    const first = await start('Que horas abre?');
    await held.held;
    const running = { code: 200, message: 'Success', data: { state: 'running' } };
    expect((await jobAt(first)).body).to.deep.equal(running);
    const second = await start('Que horas fecha?');
    expect((await jobAt(second)).body.data).to.deep.equal({ state: 'queued' });
    held.release();
    const { status, body } = await ended(first);
    expect(status).to.equal(200);
    expect(body.data).to.include({ state: 'completed', code: 200 });
    expect(body.data.data.assistantResponse.string).to.equal('Às **8h**.');
    expect(body.data.data.question).to.equal('Que horas abre?');
    expect((await ended(second)).body.data.data.question).to.equal('Que horas fecha?');
  });

  it('is completed by a refusal too, and failed by trouble of ours', async () => {
    const refused = await start('Que horas abre?', { conversationId: randomUUID() });
    expect((await ended(refused)).body.data).to.deep.include({ state: 'completed', code: 404 });
    model.script(fail(400));
    const trouble = await ended(await start('Que horas abre?'));
    expect(trouble.status).to.equal(200);
    expect(trouble.body.data).to.deep.include({ state: 'failed', code: 503 });
  });

  it('is nobody else’s to see, neither on its way nor at its end', async () => {
    const held = hold();
    model.script(held.script);
    const location = await start('Que horas abre?');
    await held.held;
    const scopes = ['manage', 'report', 'admin'] as const;
    const unscoped = await service.makeToken({ hostIds: [demo.hostId], scopes });
    const domain = await service.makeToken({ hostIds: [demo.hostId, acme.hostId], scopes: ['reason'] });
    const operator = await service.makeToken({ hostIds: 'all', scopes: ['reason'] });
    const statuses = async () => {
      const seen = [acme.token, unscoped, domain, operator].map(token => jobAt(location, token));
      return (await Promise.all(seen)).map(({ status }) => status);
    };
    expect(await statuses()).to.deep.equal([404, 404, 200, 200]);
    held.release();
    await ended(location);
    expect(await statuses()).to.deep.equal([404, 404, 200, 200]);
    const missing = await jobAt(`/jobs/k${randomUUID().replaceAll('-', '')}`, acme.token);
    const foreign = await jobAt(location, acme.token);
    expect({ ...foreign.body, data: {} }).to.deep.equal({ ...missing.body, data: {} });
  });

  it('has its reply kept for 10 minutes and no longer', async () => {
    const location = await start('Que horas abre?');
    await ended(location);
    const job_id = location.replace('/jobs/', '');
    const kept = await rowsOf<{ seconds: number }>(service.db)`
      select extract(epoch from expires_at - created_at)::float as seconds from replies where job_id = ${job_id}`;
    expect(kept).to.deep.equal([{ seconds: 600 }]);
    await service.db('replies').where({ job_id }).update({ expires_at: service.db.fn.now() });
    const { status, body } = await jobAt(location);
    expect([status, body.message]).to.deep.equal([404, 'Job not found']);
  });

  it('is one turn under one Idempotency-Key', async () => {
    const conversationId = await service.newConversation();
    const key = { 'idempotency-key': randomUUID() };
    const first = await start('Que horas abre?', { conversationId }, key);
    await ended(first);
    expect(await start('Que horas abre?', { conversationId }, key)).to.equal(first);
    const waited = await service.ask('Que horas abre?', { conversationId }, { headers: key });
    expect(waited.body.data).to.deep.equal((await ended(first)).body.data.data);
    const other = await service.ask('Outra?', { conversationId }, { headers: { ...async, ...key } });
    expect(other.status).to.equal(422);
    expect(await turnsOf(service, conversationId)).to.equal(1);
  });

  it('has its place looked at anew each time, whatever key is sent along', async () => {
    const location = await start('Que horas abre?');
    await ended(location);
    const look = () => service.call(location, undefined, { headers: { 'idempotency-key': 'look' } });
    expect((await look()).status).to.equal(200);
    const job_id = location.replace('/jobs/', '');
    await service.db('replies').where({ job_id }).update({ expires_at: service.db.fn.now() });
    expect((await look()).status).to.equal(404);
  });

  it('is any preference among others, in any spelling; elsewhere it is not honoured', async () => {
    for (const prefer of ['wait=10, Respond-Async', 'respond-async; foo=bar', 'RESPOND-ASYNC']) {
      const { status, headers } = await service.ask('Oi?', {}, { headers: { prefer } });
      expect(status, prefer).to.equal(202);
      await ended(headers.get('location') ?? '');
    }
    for (const prefer of ['respond-asynchronously', 'wait=10', 'x="respond-async"']) {
      const { status, headers } = await service.ask('Oi?', {}, { headers: { prefer } });
      expect([status, headers.get('preference-applied')], prefer).to.deep.equal([200, null]);
    }
    expect((await demo.call('createConversation', {}, { headers: async })).status).to.equal(200);
  });

  it('is refused at once for what a waiting client would be refused for at once', async () => {
    expect((await demo.call('reason', {}, { headers: async })).status).to.equal(400);
  });
});

describe('an Idempotency-Key', () => {
  const service = openService();
  const { demo, model, db } = service;
  beforeEach(() => model.say('Às **8h**.'));

  const under = (key: string) => ({ headers: { 'idempotency-key': key } });
  /** Neither the queue nor the database has a reply any more. */
  const forgetReplies = async () => {
    await forgetJobs(service.settings);
    await db('replies').update({ expires_at: db.fn.now() });
  };

  it('gives the first reply also when the queue has long forgotten the job', async () => {
    const conversationId = await service.newConversation();
    const key = under('long-ago');
    const first = await service.ask('Que horas abre?', { conversationId }, key);
    await forgetJobs(service.settings);
    model.say('Outra resposta.');
    expect((await service.ask('Que horas abre?', { conversationId }, key)).body).to.deep.equal(first.body);
    await forgetJobs(service.settings);
    expect((await service.ask('Que horas fecha?', { conversationId }, key)).status).to.equal(422);
    expect(await turnsOf(service, conversationId)).to.equal(1);
  });

  it('is free again once its reply has expired', async () => {
    const conversationId = await service.newConversation();
    const key = under('expired');
    const first = await service.ask('Que horas abre?', { conversationId }, key);
    await forgetReplies();
    model.say('Às 9h.');
    const again = await service.ask('Que horas fecha?', { conversationId }, key);
    expect(again.status, JSON.stringify(again.body)).to.equal(200);
    expect(again.body.data.question).to.equal('Que horas fecha?');
    expect(again.body.data).to.not.deep.equal(first.body.data);
  });

  it('orders another import once its reply has expired, whether the first has ended or not', async () => {
    const dataset_id = await makeDataset(service);
    const text = { content_type: 'text/markdown', content: '# Guia\n\nAbre às 8h.' };
    const document = { dataset_id, name: 'Guia', external_key: 'guia', ...text };
    const order = async (): Promise<{ documentId: string; jobId: string }> => {
      const { status, body } = await sendDocument(service, document, under('nightly'));
      expect(status, JSON.stringify(body)).to.equal(202);
      return body.data;
    };
    const { documentId, jobId: first } = await order();
    expect(await untilImported(service, first)).to.include({ state: 'completed', code: 200 });
    await forgetReplies();
    const { jobId: second } = await order();
    await forgetReplies();
    // It may have ended; now it is as one whose worker stopped before that.
    const open = { stage: 'reading', ended_at: null };
    await service.db('document_imports').where({ id: second }).update(open);
    const { jobId: third } = await order();
    expect(await untilImported(service, third)).to.include({ state: 'completed', code: 200 });
    expect(new Set([first, second, third])).to.have.property('size', 3);
    expect((await demo.call('deleteDocument', { id: documentId })).status).to.equal(200);
  });

  it('refuses another body with 422, whichever field is another', async () => {
    const conversationId = await service.newConversation();
    const key = under('two-bodies');
    expect((await service.ask('Que horas abre?', { conversationId }, key)).status).to.equal(200);
    for (const [question, more] of [
      ['Que horas fecha?', {}],
      ['Que horas abre?', { contextData: 'x' }],
    ] as const) {
      const { status, body } = await service.ask(question, { conversationId, ...more }, key);
      expect([status, body.message]).to.deep.equal([422, 'This Idempotency-Key was used with another body']);
    }
    const unknown = await service.ask('Que horas abre?', { conversationId, unknownField: 1 }, key);
    expect(unknown.status).to.equal(200);
    expect(await turnsOf(service, conversationId)).to.equal(1);
  });

  it('keeps a refusal, and is freed by trouble of ours', async () => {
    const lost = { conversationId: randomUUID() };
    const refused = await service.ask('Que horas abre?', lost, under('refused'));
    const again = await service.ask('Que horas abre?', lost, under('refused'));
    expect([refused.status, again.status]).to.deep.equal([404, 404]);
    const conversationId = await service.newConversation();
    model.script(fail(400));
    const key = under('freed');
    expect((await service.ask('Que horas abre?', { conversationId }, key)).status).to.equal(503);
    model.say('Às **8h**.');
    expect((await service.ask('Que horas abre?', { conversationId }, key)).status).to.equal(200);
    expect((await service.ask('Que horas abre?', { conversationId }, key)).status).to.equal(200);
    expect(await turnsOf(service, conversationId)).to.equal(1);
  });

  it('that trouble has freed may be that of another question, or conversation', async () => {
    const [one, other] = [await service.newConversation(), await service.newConversation()];
    const key = under('freed-for-another');
    for (const isForgotten of [false, true]) {
      model.script(fail(400));
      expect((await service.ask('Que horas abre?', { conversationId: one }, key)).status).to.equal(503);
      if (isForgotten) await forgetReplies();
      model.say('Às **8h**.');
      const again = await service.ask('Que horas fecha?', { conversationId: other }, key);
      expect(again.status, JSON.stringify(again.body)).to.equal(200);
      await forgetReplies();
    }
    const asked = db('messages').where({ conversation_id: other, author: 'user' });
    expect(await asked.pluck('content')).to.deep.equal(['Que horas fecha?', 'Que horas fecha?']);
  });

  it('belongs to the host: another token of it gets the same reply', async () => {
    const token = await service.makeToken({ hostIds: 'all' });
    const body = { hostId: demo.hostId, choosenHostId: demo.hostId };
    const [first, second] = await Promise.all([
      demo.call('createConversation', body, under('shared')),
      demo.call('createConversation', body, { token, ...under('shared') }),
    ]);
    expect(second.body).to.deep.equal(first.body);
  });

  it('must be 1 to 255 visible ASCII characters', async () => {
    const create = (key: string) => demo.call('createConversation', {}, under(key));
    for (const key of ['', 'two words', 'k'.repeat(256), 'é'])
      expectWrong(await create(key), 'Idempotency-Key');
    for (const key of ['k'.repeat(255), '"quoted"', '1', '~!@#:'])
      expect((await create(key)).status, key).to.equal(200);
  });
});

async function turnsOf({ db }: Service, conversationId: string): Promise<number> {
  return (await db('messages').where({ conversation_id: conversationId, author: 'assistant' })).length;
}
