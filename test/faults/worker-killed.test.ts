import { expect } from 'chai';
import { readConfig } from '../../platform/config.ts';
import { SVC } from '../../queues/contract/operations/paths.ts';
import { listMessageTexts, recordsOf } from '../support/conversation-records.ts';
import { eventually } from '../support/eventually.ts';
import { withHeldLock } from '../support/held-commit.ts';
import { makeOwnRedis } from '../support/own-redis.ts';
import type { OwnRedis } from '../support/redis-server.ts';
import { fail, hold, say } from '../support/scripted-model.ts';
import { type ApiResponse, type Service, startService } from '../support/service.ts';
import { endAll, type SpawnedProcess, spawnWorker } from '../support/spawned-process.ts';
import { holdQueueStore } from './held-store.ts';

const turnsAtOnce = 12;

describe('worker processes that are killed', () => {
  let service: Service;
  let redis: OwnRedis | undefined;
  const workers: SpawnedProcess[] = [];
  before(async () => {
    // Blocking a shared store would block its other users.
    redis = readConfig().redisUrl === undefined ? undefined : await makeOwnRedis();
    const store = redis ? { redisUrl: redis.url } : {};
    service = await startService({ workers: false, requestTimeoutMs: 60_000, ...store });
    await Promise.all([spawn(), spawn()]);
  });
  after(async () => {
    await endAll(workers);
    await service.close();
    await redis?.kill();
  });

  const spawn = async () => {
    const worker = await spawnWorker(service);
    workers.push(worker);
    return worker;
  };
  /** Restarts killed processes, like the launcher. */
  const killAll = () => {
    const killed = workers.splice(0);
    for (const worker of killed) worker.kill('SIGKILL');
    const ended = Promise.all(killed.map(worker => worker.ended));
    return { ended, restarted: ended.then(() => Promise.all(killed.map(spawn))) };
  };

  it('with turns in flight end each of them before its deadline, nearly all with its one answer', async () => {
    let isUp = false;
    service.model.script((request, response) => (isUp ? say('Certo.')(request, response) : undefined));
    const callsBefore = service.model.requests.length;
    const calls = () => service.model.requests.length - callsBefore;
    const conversations = await Promise.all(
      Array.from({ length: turnsAtOnce }, () => service.newConversation()),
    );
    const asked = conversations.map(async conversationId => {
      const { status }: ApiResponse = await service.ask('Oi?', { conversationId });
      return { status };
    });
    await eventually(calls, made => made === turnsAtOnce);
    const { restarted } = killAll();
    isUp = true;
    const answers = await Promise.all(asked);
    await restarted;
    for (const { status } of answers) expect([200, 503]).to.include(status);
    const answered = answers.filter(({ status }) => status === 200);
    expect(answered.length).to.be.at.least(turnsAtOnce * 0.75);
    for (const [at, { status }] of answers.entries()) {
      const { turns, said } = await recordsOf(service.db, conversations[at] ?? '');
      const authors = said.map(({ author }) => author);
      expect(turns).to.have.length(1);
      expect(authors).to.deep.equal(status === 200 ? ['user', 'assistant'] : ['user']);
    }
    expect(calls()).to.be.at.most(2 * turnsAtOnce);
    const next = await service.ask('E agora?', { conversationId: conversations[0] });
    expect(next.status).to.equal(200);
  });

  it('after the answer was stored but before its job was completed leave that answer, and no second one', async () => {
    const held = hold(say('Guardada.'));
    service.model.script(held.script);
    const calls = service.model.requests.length;
    const conversationId = await service.newConversation();
    const asked = service.ask('Oi?', { conversationId });
    await held.held;
    const store = await holdQueueStore(service);
    held.release();
    await eventually(
      () => recordsOf(service.db, conversationId),
      ({ replies }) => replies === 1,
    );
    const { ended, restarted } = killAll();
    await ended;
    await store.release();
    const { status, body } = await asked;
    expect(status).to.equal(200);
    expect(body.data.assistantResponse.string).to.equal('Guardada.');
    expect(service.model.requests).to.have.length(calls + 1);
    expect(await listMessageTexts(service.db, conversationId)).to.deep.equal([
      'user: Oi?',
      'assistant: Guardada.',
    ]);
    await restarted;
  });

  for (const on_failure of ['error', 'handoff'])
    it(`in the transaction that ends a turn without a model tell once that it failed: ${on_failure}`, async () => {
      const { hostId } = service.demo;
      await service.db('avatars').where({ host_id: hostId }).update({ on_failure });
      const webhook = { hostId, name: on_failure, url: 'https://crm.example/', events: ['turn.failed'] };
      const { body } = await service.call(`${SVC}/saveWebhookHelper`, webhook);
      service.model.script(fail(400));
      const conversations = await Promise.all(Array.from({ length: 4 }, () => service.newConversation()));
      await withHeldLock(service.db, 'lock table deliveries in share row exclusive mode', async held => {
        const asked = conversations.map(conversationId => service.ask('Oi?', { conversationId }));
        await held.waitForBlocked(1);
        const { ended, restarted } = killAll();
        await ended;
        await held.release();
        const statuses = (await Promise.all(asked)).map(({ status }) => status);
        expect(new Set(statuses)).to.have.all.keys(on_failure === 'error' ? [503] : [200]);
        await restarted;
      });
      const told = await service.db('events').whereIn('conversation_id', conversations).select('data');
      expect(told.map(({ data }) => data.conversationId)).to.have.members(conversations);
      const marked = service.db('conversations').whereIn('id', conversations).whereNotNull('unanswered_at');
      expect(await marked).to.have.length(conversations.length);
      await service.call(`${SVC}/saveWebhookHelper`, { hostId, id: body.data.webhookId, deleted: true });
    });

  it('while they tell of silent persons tell of each silence once', async () => {
    const { hostId } = service.demo;
    const avatars = service.db('avatars').where({ host_id: hostId });
    await avatars.clone().update({ idle_after_minutes: 5 });
    service.model.script(say('Às 8h.'));
    const webhook = { hostId, name: 'idle', url: 'https://crm.example/', events: ['conversation.idle'] };
    const { body } = await service.call(`${SVC}/saveWebhookHelper`, webhook);
    const conversations = await Promise.all(Array.from({ length: 4 }, () => service.newConversation()));
    const asked = conversations.map(conversationId => service.ask('Que horas abre?', { conversationId }));
    expect((await Promise.all(asked)).map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
    const due = service.db('conversations').whereIn('id', conversations).whereNotNull('idle_due_at');
    await withHeldLock(service.db, 'lock table deliveries in share row exclusive mode', async held => {
      expect(await due.clone().update({ idle_due_at: new Date(0) })).to.equal(4);
      await held.waitForBlocked(1);
      const { ended, restarted } = killAll();
      await ended;
      await held.release();
      await restarted;
    });
    await eventually(
      () => due.clone(),
      ({ length }) => length === 0,
    );
    const told = await service.db('events').whereIn('conversation_id', conversations).select('data');
    expect(told.map(({ data }) => data.conversationId)).to.have.members(conversations);
    await service.call(`${SVC}/saveWebhookHelper`, { hostId, id: body.data.webhookId, deleted: true });
    await avatars.clone().update({ idle_after_minutes: null });
  });

  it('leave the turns of one conversation in their order', async () => {
    let isUp = false;
    service.model.script((request, response) => (isUp ? say('Certo.')(request, response) : undefined));
    const conversationId = await service.newConversation();
    const calls = service.model.requests.length;
    const asked: Promise<ApiResponse>[] = [];
    for (const question of ['1?', '2?', '3?', '4?', '5?']) {
      asked.push(service.ask(question, { conversationId }));
      // The order is kept among the turns that the database knows.
      await eventually(
        () => recordsOf(service.db, conversationId),
        ({ turns }) => turns.length === asked.length,
      );
    }
    await eventually(
      () => service.model.requests.length,
      seen => seen === calls + 1,
    );
    const { restarted } = killAll();
    isUp = true;
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses).to.deep.equal([200, 200, 200, 200, 200]);
    const said = await listMessageTexts(service.db, conversationId);
    expect(said.filter(line => line.startsWith('user')).join(' ')).to.equal(
      'user: 1? user: 2? user: 3? user: 4? user: 5?',
    );
    await restarted;
  });
});
