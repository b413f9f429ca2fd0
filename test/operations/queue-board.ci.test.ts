import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { failure } from '../../queues/contract/failure.ts';
import { eventually } from '../support/eventually.ts';
import { withHeldLock } from '../support/held-commit.ts';
import { forgetJobs } from '../support/queue-store.ts';
import { fail, hold, say } from '../support/scripted-model.ts';
import { type ApiResponse, borrowService, type Service, startService } from '../support/service.ts';

const BOARD = '/admin/queues';
const opsPassword = 'the password of operators';
const authorization = `Basic ${btoa(`ops:${opsPassword}`)}`;

describe('the queue board', () => {
  const readable = memoize(() => borrowService({ opsPassword }));
  const writable = memoize(() => borrowService({ opsPassword, queueBoardWritable: true }));
  const unserved = memoize(() => startService({ opsPassword, queueBoardWritable: true, workers: false }));
  let service: Service | undefined;
  afterEach(async () => {
    if (!service) return;
    // Each test looks for its own.
    await forgetJobs(service.settings);
    service.model.reset();
    service.logged.length = 0;
  });
  after(() => Promise.all([readable, writable, unserved].map(each => each.close())));
  const use = async (shared: typeof readable) => {
    service = await shared.get();
    return service;
  };
  const board = (path: string, method = 'GET', headers: Record<string, string> = { authorization }) =>
    (service as Service).call(`${BOARD}${path}`, undefined, { token: undefined, method, headers });
  const turns = async (): Promise<ApiResponse['body']> => {
    const { body } = await board('/api/queues?activeQueue=turns&status=latest&page=1&jobsPerPage=10');
    return body.queues.find(({ name }: { name: string }) => name === 'turns');
  };

  it('opens to the password alone, and shows every queue', async () => {
    const { demo } = await use(readable);
    const strangers: Record<string, string>[] = [
      {},
      { authorization: `Bearer ${demo.token}` },
      { authorization: `Basic ${btoa('ops:wrong')}` },
    ];
    for (const headers of strangers) {
      for (const path of ['', '/api/queues', '/static/js/main.js'])
        expect((await board(path, 'GET', headers)).status).to.equal(401);
    }
    const { body } = await board('/api/queues');
    const names = body.queues.map(({ name }: { name: string }) => name);
    expect(names).to.include.members(['turns', 'catalog', 'intake', 'search', 'reports']);
  });

  it('tells of a job its operation, host, request, times, attempt and outcome, and nothing of its content', async () => {
    const { ask, demo } = await use(readable);
    const headers = { 'x-request-id': 'board-test-1' };
    await ask('O meu CPF é 529.982.247-25', { userData: { email: 'ana@example.com' } }, { headers });
    const { jobs } = await eventually(turns, ({ counts }) => counts.completed === 1);
    const [job] = jobs;
    expect(job).to.include({ name: 'reason', attempts: 1 });
    expect(job.data).to.have.all.keys('requestId', 'hostId', 'deadline');
    expect(job.data).to.include({ requestId: 'board-test-1', hostId: demo.hostId });
    expect(job.returnValue).to.deep.equal({ code: 200 });
    expect(job.finishedOn).to.be.at.least(job.timestamp);
    const { body } = await board(`/api/queues/turns/${job.id}`);
    for (const shown of [JSON.stringify(jobs), JSON.stringify(body)]) {
      // Ids and times may hold a few of its digits.
      expect(shown).not.to.match(/529\.982|529982|ana@|CPF|sealed|Tudo certo/);
    }
  });

  it('lets nothing be changed unless it is told to', async () => {
    const { ask } = await use(readable);
    await ask('Oi');
    const [job] = (await eventually(turns, ({ counts }) => counts.completed === 1)).jobs;
    const changes = [
      `/turns/${job.id}/clean`,
      `/turns/${job.id}/retry`,
      '/turns/pause',
      '/turns/empty',
      '/pause',
    ];
    for (const path of changes) expect((await board(`/api/queues${path}`, 'PUT')).status).to.equal(405);
    expect((await board('/api/queues/turns/add', 'POST')).status).to.equal(405);
    expect(await turns()).to.include({ readOnlyMode: true, isPaused: false });
  });

  it('never lets anybody write into a job or take a queue away', async () => {
    await use(writable);
    const refused = [
      ['POST', '/turns/add'],
      ['PATCH', '/turns/k1/update-data'],
      ['PUT', '/turns/obliterate'],
      ['PUT', '/turns/concurrency'],
    ] as const;
    for (const [method, path] of refused)
      expect((await board(`/api/queues${path}`, method)).status, path).to.equal(405);
  });

  it('takes no body, for no change that is allowed has one', async () => {
    const { call, logged } = await use(writable);
    for (const body of ['{broken', 'x'.repeat(2_000_000), '[]']) {
      const sent = { token: undefined, method: 'PUT', headers: { authorization } };
      expect((await call(`${BOARD}/api/queues/turns/resume`, body, sent)).status).to.equal(200);
    }
    expect(logged.join('')).not.to.contain('met a bug');
  });

  it('says that the store does not answer, and when to ask again', async function () {
    const { db, settings } = await use(readable);
    // Another test freezes a Redis.
    if (settings.redisUrl) this.skip();
    await withHeldLock(db, 'lock table bullmq.job in access exclusive mode', async () => {
      const { status, headers, body } = await board('/api/queues');
      expect(status).to.equal(503);
      expect(headers.get('retry-after')).to.match(/^\d+$/);
      expect(body)
        .to.deep.include(failure('unavailable'))
        .and.include({ error: 'Try again in a few seconds' });
    });
    // Statements of others, which waited for the lock, too, may come first.
    await eventually(async () => (await board('/api/queues')).status, 200);
  });

  it('answers 503 before its deadline to the client whose job is removed', async () => {
    const { ask } = await use(unserved);
    const asked = ask('Alguém aí?', { conversationId: randomUUID() });
    const [job] = (await eventually(turns, ({ counts }) => counts.prioritized === 1)).jobs;
    expect((await board(`/api/queues/turns/${job.id}/clean`, 'PUT')).status).to.equal(204);
    const { status, headers } = await asked;
    expect(status).to.equal(503);
    expect(headers.get('retry-after')).to.match(/^\d+$/);
  });

  it('answers whoever waits for a job that is removed while it runs, and the next one too', async () => {
    const { ask, model } = await use(writable);
    const held = hold(say('Pronto.'));
    model.script(held.script);
    const asked = ask('Alguém aí?');
    await held.held;
    const [job] = (await eventually(turns, ({ counts }) => counts.active === 1)).jobs;
    // A worker has locked it; the result depends on the store.
    expect((await board(`/api/queues/turns/${job.id}/clean`, 'PUT')).status).to.be.oneOf([204, 409]);
    // The board does not remove jobs younger than 5 s.
    const { now } = Date;
    Date.now = () => now() + 6_000;
    try {
      expect((await board('/api/queues/turns/clean/active', 'PUT')).status).to.equal(200);
    } finally {
      Date.now = now;
    }
    held.release();
    expect((await asked).status).to.be.oneOf([200, 503]);
    model.script(say('Sim.'));
    expect((await ask('E agora?')).status).to.equal(200);
  });

  it('gives the new reply to a client that waits while its job is retried', async () => {
    const { ask, model, newConversation } = await use(writable);
    const conversationId = await newConversation();
    const keyed = { headers: { 'idempotency-key': 'retried-by-hand' } };
    const again = () => ask('Oi?', { conversationId }, keyed);
    model.script(fail(400));
    expect((await again()).status).to.equal(503);
    const held = hold(say('Agora sim.'));
    model.script(held.script);
    const [job] = (await eventually(turns, ({ counts }) => counts.completed === 1)).jobs;
    expect((await board(`/api/queues/turns/${job.id}/retry`, 'PUT')).status).to.equal(204);
    await held.held;
    const from = model.requests.length;
    const waiting = again();
    held.release();
    const { status, body } = await waiting;
    expect([status, body.data.assistantResponse.string]).to.deep.equal([200, 'Agora sim.']);
    expect(model.requests.slice(from).filter(({ headers }) => headers['x-parley-purpose'] === 'turn')).to.be
      .empty;
  });
});

/** Started by the first test that uses it. */
function memoize(start: () => Promise<Service>) {
  let started: Promise<Service> | undefined;
  return { get: () => (started ??= start()), close: async () => (await started)?.close() };
}
