import { expect } from 'chai';
import { SVC } from '../../queues/contract/operations/paths.ts';
import { eventually } from '../support/eventually.ts';
import { openService } from '../support/service.ts';

describe('the access log', () => {
  const service = openService();
  const lines = () =>
    service.logged
      .map(line => JSON.parse(line) as Record<string, unknown>)
      .filter(({ event }) => event === 'request.finished');

  it('has the route of a request as it is declared, nothing of an unknown path, and no health check', async () => {
    await service.call('/health/ready');
    await service.call('/of-ana-52998224725', {});
    await service.call('/jobs/k4711');
    await service.demo.call('listAvatars');
    const logged = await eventually(
      async () => lines(),
      found => found.length >= 3,
    );
    expect(logged.map(({ method, route }) => [method, route])).to.deep.equal([
      ['POST', undefined],
      ['GET', '/jobs/:jobId'],
      ['POST', `${SVC}/avatarsListHelper`],
    ]);
    expect(JSON.stringify(logged)).not.to.include('52998224725');
  });

  it('has the host of a request, also of one that is refused, and none where the token leaves it open', async () => {
    const { demo, acme } = service;
    service.logged.length = 0;
    const both = await service.makeToken({ hostIds: [demo.hostId, acme.hostId] });
    const headers = { 'x-choosen-host-id': acme.hostId };
    const path = `${SVC}/avatarsListHelper`;
    const body = { host_slug: acme.slug };
    await service.call(path, body);
    await service.call(path, body, { token: both, headers });
    await service.call(path, body, { token: both });
    const logged = await eventually(
      async () => lines(),
      found => found.length === 3,
    );
    expect(logged.map(({ status, hostId }) => [status, hostId])).to.deep.equal([
      [403, demo.hostId],
      [200, acme.hostId],
      [409, undefined],
    ]);
  });
});
