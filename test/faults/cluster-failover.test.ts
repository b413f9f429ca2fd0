import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { makeOwnCluster, type OwnCluster } from '../support/own-cluster.ts';
import { describeWithRedis } from '../support/own-redis.ts';
import { hold, say } from '../support/scripted-model.ts';
import { type ApiResponse, type Service, startService } from '../support/service.ts';

const queueKey = (queue: string) => `{parley:${queue}}:${queue}:wait`;

describeWithRedis('a cluster of Redis that loses a master', () => {
  let cluster: OwnCluster;
  let service: Service;
  before(async () => {
    cluster = await makeOwnCluster({ nodeTimeoutMs: 2_000 });
    service = await startService({ redisUrl: cluster.url, requestTimeoutMs: 20_000 });
  });
  after(async () => {
    await service.close();
    await cluster.kill();
  });

  it('refuses with Retry-After until the replica has taken over, and works on without a restart', async () => {
    service.model.script(say('Certo.'));
    expect((await service.ask('Oi?')).status).to.equal(200);
    const held = hold(say('Em mãos.'));
    service.model.script(held.script);
    const inFlight = service.ask('E esta?');
    await held.held;
    await cluster.killMasterOf(queueKey('turns'));
    const refused = await eventually(
      () => service.ask('Agora?', { conversationId: crypto.randomUUID() }),
      ({ status }) => status !== 200,
    );
    expect(refused.status).to.equal(503);
    expect(refused.headers.get('retry-after')).to.match(/^\d+$/);
    held.release();
    service.model.script(say('Certo.'));
    await cluster.waitForFailover();
    const mayRetry = ({ status, headers }: ApiResponse) =>
      status === 200 || (status === 503 && headers.has('retry-after'));
    expect(await inFlight).to.satisfy(mayRetry);
    const answer = await eventually(
      () => service.ask('E agora?'),
      ({ status }) => status === 200,
      10_000,
    );
    expect(answer.status).to.equal(200);
    expect((await service.call('/health/ready')).status).to.equal(200);
  });
});
