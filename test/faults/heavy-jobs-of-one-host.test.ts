import { expect } from 'chai';
import { withHeldLock } from '../support/held-commit.ts';
import { insertIndexedRecord } from '../support/searched-records.ts';
import { openOwnService } from '../support/service.ts';

/** More than a worker takes of one queue, each with three searches. */
const searchesAtOnce = 64;
const lock = 4712;

describe('a worker that has more heavy jobs of one host than it can run', () => {
  const service = openOwnService({ requestTimeoutMs: 20_000 });
  const { demo, acme, db } = service;
  before(async () => {
    await insertIndexedRecord(db, acme.hostId, 'tickets', { subject: 'Matrícula' });
    await holdSearchesOf(demo.hostId);
  });

  /** Searches of this host wait for the lock. */
  const holdSearchesOf = (hostId: string) =>
    db.raw(`
      alter function search_tags(uuid[]) rename to search_tags_of;
      create function search_tags(hosts uuid[]) returns text[] language plpgsql as $$
        begin
          if '${hostId}' = any(hosts) then perform pg_advisory_xact_lock_shared(${lock}); end if;
          return search_tags_of(hosts);
        end $$`);

  it('answers the calls and the searches of other hosts meanwhile', async () => {
    const query = { query: 'matrícula' };
    await withHeldLock(db, `select pg_advisory_xact_lock(${lock})`, async held => {
      const gone = new AbortController();
      const { signal } = gone;
      let answered = 0;
      const searches = Array.from({ length: searchesAtOnce }, async () => {
        while (!signal.aborted) {
          const { status } = await demo.call('searchUnified', query, { signal });
          if (status === 200) answered += 1;
        }
      });
      await held.waitForBlocked(2);
      const others = await Promise.all([
        acme.call('createConversation'),
        acme.call('searchFulltext', query),
        acme.call('searchUnified', query),
      ]);
      expect(others.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
      expect(others[1]?.body.results).to.have.length(1);
      expect(others[2]?.body.merged).to.have.length(1);
      expect(answered).to.equal(0);
      gone.abort();
      await Promise.allSettled(searches);
    });
  });
});
