import { expect } from 'chai';
import { makePostgresStore } from '../../queues/transport/postgres/store.ts';
import { CLAIM_LIMITS } from '../../workers/runtime/pools.ts';
import { eventually } from '../support/eventually.ts';
import { openOnce } from '../support/opened.ts';
import { describeWithRedis, makeOwnRedis } from '../support/own-redis.ts';
import { openOwnService } from '../support/service.ts';
import { makeOwnPostgres } from './own-postgres.ts';

const turnsAtOnce = 24;

describe('a PostgreSQL that freezes with the queues in it', () => {
  const postgres = openOnce(() => makeOwnPostgres({ settings: { fsync: 'off' } }));
  const service = openOwnService(() => ({ store: postgres.store, requestTimeoutMs: 30_000 }));
  before(async () => {
    service.model.say('Certo.');
  });
  after(async () => {
    postgres.goOn();
  });

  it('asks the model nothing, once it goes on, for a turn that it froze in and whose requester was refused', async () => {
    const ids = await Promise.all(Array.from({ length: turnsAtOnce }, () => service.newConversation()));
    const lock = await service.db.transaction();
    await lock.raw('lock table turns in share row exclusive mode');
    const asked = ids.map(conversationId => service.ask('Congelado?', { conversationId }));
    const locked = () => service.db('pg_locks').where({ granted: false });
    // So many claims of one host run at a time.
    await eventually(locked, ({ length }) => length >= CLAIM_LIMITS.maxPerKey);
    postgres.freeze();
    const refused = await Promise.all(asked);
    expect(refused.map(({ status }) => status)).to.deep.equal(refused.map(() => 503));
    postgres.goOn();
    await lock.rollback().catch(() => undefined);
    await eventually(() => service.ask('Voltou?'), { status: 200 });
    const running = () => service.db('turns').whereIn('state', ['waiting', 'running']);
    await eventually(running, { length: 0 });
    const calls = service.model.requests.filter(call => JSON.stringify(call).includes('Congelado'));
    expect(calls).to.have.length(0);
  });

  it('keeps nobody waiting who only looks at the queues', async () => {
    const store = await makePostgresStore(postgres.store.databaseUrl, () => {});
    const queue = { name: 'turns', toKey: String };
    await store.findFinished(queue, ['k1']);
    postgres.freeze();
    const looks = await Promise.allSettled([store.findFinished(queue, ['k1']), store.backlog(queue)]);
    postgres.goOn();
    await store.close();
    expect(looks.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
  });
});

describeWithRedis('a PostgreSQL that freezes beside the Redis with the queues', () => {
  const postgres = openOnce(() => makeOwnPostgres({ settings: { fsync: 'off' } }));
  const redis = openOnce(makeOwnRedis);
  const service = openOwnService(() => ({ store: { ...postgres.store, redisUrl: redis.url } }));
  after(async () => {
    postgres.goOn();
  });

  it('is what is down, and the queue is not', async () => {
    postgres.freeze();
    const { body } = await eventually(() => service.call('/health/ready'), { status: 503 });
    expect(body.checks).to.include({ database: 'down', queue: 'ok' });
    postgres.goOn();
    await eventually(() => service.call('/health/ready'), { status: 200 });
  });
});
