import { expect } from 'chai';
import type { Db } from '../../db/connection.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';
import { waitForLock } from '../support/wait-for-lock.ts';

describe('tests that wait until a session waits for their transaction', () => {
  const { db } = openOnce(() => makeDatabase('empty'));
  const take = async (of: Db, key: number) => void (await of.raw(`select pg_advisory_xact_lock(${key})`));

  it('are not told of one that waits for another, and are of one that waits behind it', async () => {
    const [stranger, holder, first] = [
      await db.transaction(),
      await db.transaction(),
      await db.transaction(),
    ];
    for (const [at, tx] of [stranger, holder, first].entries()) await take(tx, at);
    const seen: string[] = [];
    const note = (text: string) => () => void seen.push(text);
    const waiting = [take(db, 0)];
    await waitForLock(stranger);
    const told = [
      waitForLock(holder).then(note('one waits')),
      waitForLock(holder, 2).then(note('both wait')),
    ];
    await waitForLock(stranger);
    const early = [...seen];
    waiting.push(take(first, 1));
    await told[0];
    waiting.push(take(db, 2));
    await Promise.all(told);
    for (const tx of [stranger, holder]) await tx.rollback();
    await waiting[1];
    await first.rollback();
    await Promise.all(waiting);
    expect([early, seen]).to.deep.equal([[], ['one waits', 'both wait']]);
  });
});
