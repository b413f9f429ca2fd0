import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { askDatabase } from '../support/ask-database.ts';
import { endedRecordsOf } from '../support/conversation-records.ts';
import { eventually } from '../support/eventually.ts';
import { openOnce } from '../support/opened.ts';
import { makeOwnRedis, usesRedis } from '../support/own-redis.ts';
import { hold, say } from '../support/scripted-model.ts';
import { openOwnService } from '../support/service.ts';

const requestTimeoutMs = 8_000;
const turnsAtOnce = 8;
const backWithinMs = 15_000;

describe('a queue store that is lost', () => {
  const redis = usesRedis ? openOnce(makeOwnRedis) : undefined;
  const service = openOwnService(() => ({ requestTimeoutMs, ...(redis ? { redisUrl: redis.url } : {}) }));

  /** Starts turns that wait for the model; returns their results with times. */
  const askMany = async () => {
    const calls = service.model.requests.length;
    const held = hold(say('Certo.'));
    service.model.script(held.script);
    const ended = Array.from({ length: turnsAtOnce }, async () => {
      const conversationId = await service.newConversation();
      const { status } = await service.ask('Oi?', { conversationId });
      return { status, conversationId };
    });
    await eventually(() => service.model.requests.length, calls + turnsAtOnce);
    return { held, ended: Promise.all(ended) };
  };
  const demandAnswered = async (ended: Awaited<ReturnType<typeof askMany>>['ended'], statuses: number[]) => {
    for (const { status, conversationId } of await ended) {
      expect(statuses).to.include(status);
      const { said } = await endedRecordsOf(service.db, conversationId);
      const authors = said.map(({ author }) => author);
      expect([['user'], ['user', 'assistant']]).to.deep.include(authors);
      if (status === 200) expect(authors).to.deep.equal(['user', 'assistant']);
      const next = await service.ask('E agora?', { conversationId });
      expect(next.status).to.equal(200);
    }
  };
  const worksAgain = () => eventually(() => service.ask('Voltou?'), { status: 200 }, backWithinMs);

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

  const losesConnections = (whose: string, statuses: number[]) => async () => {
    const { held, ended } = await askMany();
    await cutConnections(service.settings.databaseUrl, whose);
    held.release();
    await worksAgain();
    await demandAnswered(ended, statuses);
  };

  // Each kind of store fails in its own way.
  if (usesRedis) {
    it('with all that is in it ends the turns in flight, and new ones work again', losesAll);
  } else {
    it(
      'for a moment only, by the connections to it, loses no turn',
      losesConnections(`application_name not like 'parley%'`, [200]),
    );
    it(
      'together with everybody’s connections to the database loses no turn without saying so',
      losesConnections(`application_name <> 'parley-test-service'`, [200, 503]),
    );
  }
});

async function cutConnections(databaseUrl: string, whose: string): Promise<void> {
  const cut = await askDatabase(
    databaseUrl,
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend' and ${whose}`,
  );
  expect(cut.length).to.be.above(3);
}
