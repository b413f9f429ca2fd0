import { expect } from 'chai';
import {
  findReplyOfJob,
  insertReply,
  lockSubject,
  type NewReply,
  purgeExpiredReplies,
} from '../../db/replies.ts';
import { withHosts } from '../../db/with-hosts.ts';
import { buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';
import { runIn, table } from '../support/statements.ts';

const outcome = { code: 200, message: 'Success', data: { z: 1, a: '\0', text: 'não \\u0000' } };

describe('replies', () => {
  const { db } = openOnce(makeDatabase);
  const a = openOnce(() => buildHost(db));
  const b = openOnce(() => buildHost(db));
  beforeEach(() => db('replies').delete());

  const insert = (changes: Partial<NewReply> = {}, ...hostIds: string[]) => {
    const same = { jobId: 'k1', operation: 'reason', key: 'mine', bodyMac: 'beef', isFinal: true, outcome };
    const reply = { ...same, ...changes };
    return withHosts(db, hostIds.length > 0 ? hostIds : [a.hostId], scope => insertReply(scope, reply));
  };
  const find = (hostIds = [a.hostId], jobId = 'k1') =>
    withHosts(db, hostIds, scope => findReplyOfJob(scope, jobId));

  it('are told again to the letter, the order of the fields included', async () => {
    expect(await insert()).to.equal(true);
    const reply = await find();
    expect(JSON.stringify(reply?.outcome)).to.equal(JSON.stringify(outcome).replace('"\\u0000"', '"\ufffd"'));
    expect(reply).to.include({
      hostId: a.hostId,
      operation: 'reason',
      key: 'mine',
      bodyMac: 'beef',
      code: 200,
    });
    const lasts = (reply?.expiresAt.getTime() ?? 0) - Date.now();
    expect(lasts).to.be.within(590_000, 610_000);
  });

  it('stand once they are given', async () => {
    await insert();
    expect(await insert({ outcome: { code: 404 } })).to.equal(false);
    expect((await find())?.code).to.equal(200);
  });

  it('give way to another run where they told of trouble, and then stand', async () => {
    for (const code of [408, 429, 500, 503])
      expect(await insert({ outcome: { code }, isFinal: false }), `${code}`).to.equal(true);
    expect(await insert()).to.equal(true);
    expect(await insert({ outcome: { code: 503 } })).to.equal(false);
    expect((await find())?.code).to.equal(200);
  });

  it('are found by any scope that has their host, and by no other', async () => {
    await insert();
    expect((await find([b.hostId, a.hostId]))?.jobId).to.equal('k1');
    expect(await find([b.hostId])).to.equal(undefined);
    expect(await find([])).to.equal(undefined);
    expect(await insert({}, b.hostId)).to.equal(true);
  });

  it('about several hosts are for those alone who have them all, whatever is asked of the table', async () => {
    expect(await insert({}, b.hostId, a.hostId)).to.equal(true);
    expect(await insert({ outcome: { code: 404 } }, a.hostId, b.hostId)).to.equal(false);
    for (const hostId of [a.hostId, b.hostId]) {
      expect(await find([hostId])).to.equal(undefined);
      const seen = await withHosts(db, [hostId], ({ tx }) => runIn(tx, table('replies').select()));
      expect(seen).to.deep.equal([]);
    }
    expect((await find([a.hostId, b.hostId]))?.code).to.equal(200);
    expect((await find([b.hostId, a.hostId]))?.code).to.equal(200);
  });

  it('that take the place of others are for those who have all hosts that they are about', async () => {
    await insert({ isFinal: false }, a.hostId);
    const [first = '', second = ''] = [a.hostId, b.hostId].toSorted();
    await db('replies').update({ host_id: first });
    expect(await insert({}, first, second)).to.equal(true);
    expect(await find([first])).to.equal(undefined);
    expect((await find([first, second]))?.code).to.equal(200);
  });

  it('are forgotten when they expire, which lets the job answer anew', async () => {
    await insert({ ttlMs: -1 });
    expect(await find()).to.equal(undefined);
    expect(await insert({ outcome: { code: 201 } })).to.equal(true);
    expect((await find())?.code).to.equal(201);
  });

  it('are purged when they have expired, in all hosts', async () => {
    await insert();
    await insert({ jobId: 'k2', ttlMs: -1 });
    await insert({ ttlMs: -1 }, b.hostId);
    expect(await purgeExpiredReplies(db)).to.equal(2);
    expect(await db('replies').pluck('job_id')).to.eql(['k1']);
  });

  it('are purged however many there are', async () => {
    await db.raw(
      `insert into replies (host_id, job_id, operation, code, kept, outcome, expires_at)
       select ?, 'k' || n, 'reason', 200, true, '{}', now() from generate_series(1, 4500) n`,
      [a.hostId],
    );
    expect(await purgeExpiredReplies(db)).to.equal(4_500);
  });

  it('depend on what is there, and on nothing else of its host', async () => {
    const lock = (id: string) => a.inHost(scope => lockSubject(scope, 'conversations', id));
    expect(await lock(a.conversationId)).to.equal(true);
    expect(await lock(b.conversationId)).to.equal(false);
  });

  it('go with the effect they belong to', async () => {
    const failing = withHosts(db, [a.hostId], async scope => {
      await insertReply(scope, { jobId: 'k1', operation: 'reason', isFinal: true, outcome });
      throw new Error('no');
    });
    await failing.catch(() => undefined);
    expect(await find()).to.equal(undefined);
  });
});
