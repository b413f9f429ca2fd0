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
});
