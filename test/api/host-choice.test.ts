import { expect } from 'chai';
import type { Ctx } from '../../api/context.ts';
import { callerOf, type HostNames } from '../../api/guards/host-choice.ts';
import type { RefusalError } from '../../api/replies/envelope.ts';
import type { Operation } from '../../queues/contract/operation.ts';

const host = {
  host_id: '7f3b5a0e-52a1-4c8e-9a35-0d7a4d1c6b21',
  host_slug: 'demo',
  host_name: 'Demo',
  share: 1,
  disabled: false,
  time_zone: 'America/Manaus',
};

describe('the host of a request', () => {
  function choose(
    kind: 'host' | 'domain' | 'operator',
    body: HostNames = {},
    hosts: 'one' | 'all' = 'one',
    header = '',
  ) {
    const token = { id: 't', name: 't', kind, scopes: [], hosts: [host] };
    const ctx = { state: { token }, get: () => header } as unknown as Ctx;
    try {
      return callerOf(ctx, { hosts } as Operation, body).hostIds;
    } catch (error) {
      return (error as RefusalError).failure;
    }
  }

  it('is chosen by name under a token that may get more hosts, also while it has one', () => {
    for (const kind of ['domain', 'operator'] as const) {
      expect(choose(kind)).to.deep.include({
        code: 409,
        data: {
          reason: 'host-not-chosen',
          availableHosts: [{ host_id: host.host_id, host_slug: 'demo', host_name: 'Demo' }],
        },
      });
      expect(choose(kind, { choosenHostId: host.host_id })).to.deep.equal([host.host_id]);
      expect(choose(kind, {}, 'all')).to.deep.equal([host.host_id]);
    }
  });

  it('is that of the header and of the body where both name the same one, and none where they differ', () => {
    const id = host.host_id;
    expect(choose('domain', { choosenHostId: id.toUpperCase() }, 'one', id)).to.deep.equal([id]);
    const other = `0${id.slice(1)}`;
    expect(choose('domain', { choosenHostId: other }, 'one', id)).to.include({ code: 400 });
  });

  it('is that of its token where this is for one', () => {
    expect(choose('host')).to.deep.equal([host.host_id]);
  });
});
