import { expect } from 'chai';
import type { Ctx } from '../../api/context.ts';
import { RefusalError } from '../../api/replies/envelope.ts';
import { makeJobFinder } from '../../api/replies/find-job.ts';
import type { RouteParts } from '../../api/request.ts';
import { failure, type Outcome } from '../../queues/contract/failure.ts';
import type { Request } from '../../queues/transport/request.ts';

describe('a job that is looked for', () => {
  const body = { jobId: `k${'0'.repeat(32)}` };
  const request = { body, caller: { hostIds: ['host'] } } as unknown as Request;
  const state = { token: { scopes: ['reason'] } };
  const pending = { id: body.jobId, hostId: 'host', operation: 'reason', state: 'running' };
  const timedOut = () => Promise.reject(new Error('Command timed out'));
  const find = (
    findPending: (queue: string) => Promise<typeof pending | undefined>,
    stored: Outcome<unknown> = failure('job-not-found'),
  ) => {
    const dispatcher = { findPending } as unknown as RouteParts['dispatcher'];
    return makeJobFinder({ dispatcher }, async () => stored)({ state } as unknown as Ctx, request);
  };

  it('is not found where neither the queues nor the database have it', async () => {
    expect(await find(async () => undefined)).to.deep.equal(failure('job-not-found'));
  });

  it('is found where another queue than the one that could not be asked has it, or the database', async () => {
    const first = find(async queue => (queue === 'turns' ? pending : timedOut()));
    expect(await first).to.deep.equal({ code: 200, data: { state: 'running' } });
    const last = find(async queue => (queue === 'turns' ? timedOut() : pending));
    expect(await last).to.deep.equal({ code: 200, data: { state: 'running' } });
    const stored = { code: 200, data: { state: 'finished' } } as const;
    expect(await find(timedOut, stored)).to.deep.equal(stored);
  });

  it('is refused with 503 where the queues could not be asked, because it may wait there', async () => {
    const oneLost = (queue: string) => (queue === 'turns' ? timedOut() : Promise.resolve(undefined));
    const error = await find(oneLost).catch((reason: unknown) => reason);
    expect(error).to.be.an.instanceof(RefusalError);
    expect((error as RefusalError).failure).to.deep.equal(failure('unavailable'));
  });
});
