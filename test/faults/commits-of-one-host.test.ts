import { expect } from 'chai';
import { withHeldLock } from '../support/held-commit.ts';
import { openOwnService } from '../support/service.ts';

/** More than the connections of a worker for turns. */
const TURNS = 16;

describe('turns of one host that all wait for the lock of one contact', () => {
  const service = openOwnService({ requestTimeoutMs: 30_000 });
  const { acme, db } = service;

  it('leave connections to the turns of other hosts', async () => {
    const userData = { email: 'ana@example.com', name: 'Ana' };
    await service.ask('Oi?', { userData });
    const hold = `select from contacts where email = 'ana@example.com' for update`;
    await withHeldLock(db, hold, async held => {
      const asked = Array.from({ length: TURNS }, (_, at) =>
        service.ask('Oi?', { userData: { ...userData, name: `Ana ${at}` } }),
      );
      await held.waitForBlocked(4);
      expect((await acme.ask('Oi?')).status).to.equal(200);
      await held.release();
      expect((await Promise.all(asked)).map(({ status }) => status)).to.deep.equal(asked.map(() => 200));
    });
  });
});
