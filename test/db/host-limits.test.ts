import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { isWithinLimits } from '../../db/hosts/host-limits.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { type HostScope } from '../../db/with-hosts.ts';
import { buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';
import { waitForLock } from '../support/wait-for-lock.ts';

describe('the limits of a host', () => {
  const { db } = openOnce(makeDatabase);
  const { inHost } = openOnce(() => buildHost(db));

  const addPeople = ({ tx, hostId }: HostScope, count: number) => rowsOf(tx)`
    insert into people (host_id, id, name, email, role)
    select ${hostId}, gen_random_uuid(), 'Bia', ${randomUUID()} || at, 'agent' from generate_series(1, ${count}::integer) at`;
  const addOne = (whenAdded: (scope: HostScope) => Promise<void> = async () => {}) =>
    inHost(async scope => {
      await addPeople(scope, 1);
      const isWithin = await isWithinLimits(scope, 'people');
      await whenAdded(scope);
      return isWithin;
    });

  it('hold where two come at the same time: the second one sees what the first one added', async () => {
    const count = (await db('people')).length;
    await inHost(scope => addPeople(scope, 999 - count));
    let second: Promise<boolean> | undefined;
    const first = await addOne(async ({ tx }) => {
      second = addOne();
      await Promise.race([waitForLock(tx), second]);
    });
    expect([first, await second]).to.deep.equal([true, false]);
  });
});
