import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { recordsOf } from '../support/conversation-records.ts';
import { eventually } from '../support/eventually.ts';
import { makeOwnRedis, usesRedis } from '../support/own-redis.ts';
import type { OwnRedis } from '../support/redis-server.ts';
import { hold, say } from '../support/scripted-model.ts';
import { type ApiResponse, type Service, startService } from '../support/service.ts';

const requestTimeoutMs = 8_000;
const turnsAtOnce = 8;
const backWithinMs = 15_000;

describe('a queue store that is lost', () => {
  let service: Service;
  let redis: OwnRedis | undefined;
  before(async () => {
    redis = usesRedis ? await makeOwnRedis() : undefined;
    service = await startService({ requestTimeoutMs, ...(redis ? { redisUrl: redis.url } : {}) });
  });
  after(async () => {
    await service.close();
    await redis?.kill();
  });

  /** Starts turns that wait for the model; returns their results with times. */
  const askMany = async () => {
    const calls = service.model.requests.length;
    const held = hold(say('Certo.'));
    service.model.script(held.script);
    const conversations = await Promise.all(
      Array.from({ length: turnsAtOnce }, () => service.newConversation()),
    );
    const ended = conversations.map(async conversationId => {
      const { status } = await service.ask('Oi?', { conversationId });
      return { status, conversationId };
    });
    await eventually(
      () => service.model.requests.length,
      seen => seen === calls + turnsAtOnce,
    );
    return { held, ended: Promise.all(ended) };
  };
  const demandAnswered = async (ended: Awaited<ReturnType<typeof askMany>>['ended'], statuses: number[]) => {
    for (const { status, conversationId } of await ended) {
      expect(statuses).to.include(status);
      await eventually(
        () => recordsOf(service.db, conversationId),
        ({ turns }) => turns.every(({ state }) => state === 'answered' || state === 'unanswered'),
      );
      const { said } = await recordsOf(service.db, conversationId);
      const authors = said.map(({ author }) => author);
      expect([['user'], ['user', 'assistant']]).to.deep.include(authors);
      if (status === 200) expect(authors).to.deep.equal(['user', 'assistant']);
      const next = await service.ask('E agora?', { conversationId });
      expect(next.status).to.equal(200);
    }
  };
  const worksAgain = async () => {
    await eventually(
      () => service.ask('Voltou?'),
      (answer: ApiResponse) => answer.status === 200,
      backWithinMs,
    );
  };

  const losesAll = async () => {
    if (!redis) throw new Error('this is about a Redis of its own');
    const { held, ended } = await askMany();
    await redis.kill();
    const refused = await service.ask('Agora?', { conversationId: randomUUID() });
    expect(refused.status).to.equal(503);
    expect(refused.headers.get('retry-after')).to.match(/^\d+$/);
    await redis.start();
    held.release();
    await worksAgain();
    await demandAnswered(ended, [200, 503]);
  };

  const losesItsConnections = async () => {
    const { held, ended } = await askMany();
    await cutConnections(service.settings.databaseUrl, `application_name not like 'parley%'`);
    held.release();
    await worksAgain();
    await demandAnswered(ended, [200]);
  };

  const losesAllConnections = async () => {
    const { held, ended } = await askMany();
    await cutConnections(service.settings.databaseUrl, `application_name <> 'parley-test-service'`);
    held.release();
    await worksAgain();
    await demandAnswered(ended, [200, 503]);
  };

  // Each kind of store fails in its own way.
  if (usesRedis) {
    it('with all that is in it ends the turns in flight, and new ones work again', losesAll);
  } else {
    it('for a moment only, by the connections to it, loses no turn', losesItsConnections);
    it(
      'together with everybody’s connections to the database loses no turn without saying so',
      losesAllConnections,
    );
  }
});

async function cutConnections(connectionString: string, whose: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rowCount } = await client.query(`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend' and ${whose}`);
  await client.end();
  expect(rowCount).to.be.above(3);
}
