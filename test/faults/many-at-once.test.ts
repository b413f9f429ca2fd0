import { expect } from 'chai';
import { openOwnService } from '../support/service.ts';

/** With this many turns, the slowed-down PostgreSQL needs longer than the connection timeout. */
const turnsAtOnce = 60;

describe('many turns that arrive at the same moment', () => {
  const service = openOwnService({ workerConcurrency: turnsAtOnce, requestTimeoutMs: 40_000 });
  before(async () => {
    service.model.say('Certo.');
    if (service.settings.redisUrl) return;
    await service.db.raw(`
      create function slow_down() returns trigger language plpgsql as $$
        begin perform pg_sleep(0.15); return new; end $$;
      create trigger slow_down before insert on bullmq.job for each row execute function slow_down()`);
  });

  it('wait for a store that is slow to take them instead of being refused', async () => {
    const ids = await Promise.all(Array.from({ length: turnsAtOnce }, () => service.newConversation()));
    const asked = await Promise.all(ids.map(conversationId => service.ask('Oi?', { conversationId })));
    expect(asked.map(({ status }) => status)).to.deep.equal(ids.map(() => 200));
  });
});
