import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { rowsOf } from '../../db/rows-of.ts';
import { expectRefused } from '../support/contract.ts';
import { eventually } from '../support/eventually.ts';
import { openService } from '../support/service.ts';

describe('the address of a job', () => {
  const service = openService();
  const job = (id: string, token = service.demo.token) => service.call(`/jobs/${id}`, undefined, { token });

  it('is 404 under any id that is none, however it is written', async () => {
    const ids = [
      ...'x 0 %zz % %E0%A4%A %00 %2f a%2Fb ..%2f.. k: * ; %22 %F0%9F%99%82 __proto__ constructor meta'.split(
        ' ',
      ),
      `k${'0'.repeat(32)}`,
      `K${'0'.repeat(32)}`,
      `k${'0'.repeat(41)}`,
      randomUUID(),
      'k'.repeat(8_000),
      encodeURIComponent('\u2028é\n'),
    ];
    for (const id of ids) expectRefused(await job(id), 'job-not-found');
  });

  it('is 401 without a token, whatever the id', async () => {
    for (const id of ['x', '%zz', `k${'0'.repeat(32)}`])
      expect((await service.call(`/jobs/${id}`, undefined, { token: undefined })).status).to.equal(401);
  });

  describe('of a reindexing', () => {
    const order = async (token: string): Promise<string> => {
      const { status, body } = await service.demo.call('reindex', { mode: 'full' }, { token });
      expect(status, JSON.stringify(body)).to.equal(202);
      return body.job_id;
    };
    const finish = (id: string, hostId: string) => rowsOf(service.db)`
      update search_reindexes set finished_at = now() where id = ${id} and host_id = ${hostId} returning id`;
    const stateOf = async (id: string, token: string) => (await job(id, token)).body.data.state;

    it('tells how far it is: queued behind another, running, completed', async () => {
      const { demo, acme } = service;
      // Something to index.
      await service.db('conversations').insert([{ host_id: demo.hostId }, { host_id: acme.hostId }]);
      const [first, second] = [await order(demo.token), await order(acme.token)];
      expect(await stateOf(first, demo.token)).to.equal('running');
      expect(await stateOf(second, acme.token)).to.equal('queued');
      await finish(first, demo.hostId);
      const data = { state: 'completed' };
      expect((await job(first)).body).to.deep.equal({ code: 200, message: 'Success', data });
      expect(await stateOf(second, acme.token)).to.equal('running');
      await finish(second, acme.hostId);
      await eventually(() => stateOf(second, acme.token), 'completed');
    });

    it('is nobody else’s to see, nor a token’s without the scope', async () => {
      const { demo, acme } = service;
      const id = await order(demo.token);
      expectRefused(await job(id, acme.token), 'job-not-found');
      const unscoped = await service.makeToken({ hostIds: [demo.hostId], scopes: ['reason', 'search'] });
      expectRefused(await job(id, unscoped), 'job-not-found');
      await finish(id, demo.hostId);
    });

    it('of several hosts is through when it is through for each', async () => {
      const { demo, acme } = service;
      const domain = await service.makeToken({ hostIds: [demo.hostId, acme.hostId], scopes: ['admin'] });
      const id = await order(domain);
      await finish(id, demo.hostId);
      expect(await stateOf(id, domain)).to.equal('running');
      await finish(id, acme.hostId);
      expect(await stateOf(id, domain)).to.equal('completed');
    });
  });
});
