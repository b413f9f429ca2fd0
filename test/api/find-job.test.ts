import { expect } from 'chai';
import type { Ctx } from '../../api/context.ts';
import type { RouteParts } from '../../api/job-request.ts';
import { RefusalError } from '../../api/replies/envelope.ts';
import { makeJobFinder } from '../../api/replies/find-job.ts';
import { failure } from '../../queues/contract/failure.ts';
import type { JobRequest } from '../../queues/transport/queued-job.ts';

describe('a job that is looked for', () => {
  const body = { jobId: `k${'0'.repeat(32)}` };
  const request = { body, caller: { hostIds: ['host'] } } as unknown as JobRequest;
  const find = (findPending: () => Promise<undefined>) => {
    const dispatcher = { findPending } as unknown as RouteParts['dispatcher'];
    return makeJobFinder({ dispatcher }, async () => failure('job-not-found'))({} as Ctx, request);
  };

  it('is not found where neither the queues nor the database have it', async () => {
    expect(await find(async () => undefined)).to.deep.equal(failure('job-not-found'));
  });

  it('is refused with 503 where the queues could not be asked, because it may wait there', async () => {
    const error = await find(() => Promise.reject(new Error('Command timed out'))).catch(
      (reason: unknown) => reason,
    );
    expect(error).to.be.an.instanceof(RefusalError);
    expect((error as RefusalError).failure).to.deep.equal(failure('unavailable'));
  });
});
