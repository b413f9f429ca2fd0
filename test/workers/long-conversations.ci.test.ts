import { expect } from 'chai';
import { connect } from '../../db/connection.ts';
import { insertConversation } from '../../db/conversations/conversations.ts';
import { withHost } from '../../db/with-hosts.ts';
import { countAllOutcomes } from '../../workers/reports/get-outcomes.ts';
import { buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';

describe('the outcomes of long conversations', () => {
  const database = openOnce(makeDatabase);
  const db = openOnce(() => connect(database.url, { statementTimeoutMs: 300 }));
  const host = openOnce(() => buildHost(database.db));
  before(async () => {
    // Each conversation takes as long as one with very many messages.
    await database.db.raw(`create or replace function services_of(host uuid, talks uuid[]) returns table (
        conversation_id uuid, opened_at timestamptz, last_at timestamptz, last_author text, has_human boolean,
        ended boolean, asked_help boolean, reopened boolean
      ) language plpgsql stable as $$ begin perform pg_sleep(0.03 * cardinality(talks)); end $$`);
  });

  it('are counted, fewer at a time, where many take longer than a statement may', async () => {
    const { hostId } = host;
    for (let at = 0; at < 20; at += 1) {
      const id = await withHost(database.db, hostId, scope => insertConversation(scope));
      await database.db('service_changes').insert({ host_id: hostId, conversation_id: id });
    }
    await countAllOutcomes({ owner: database.db, heavy: db }, new AbortController().signal);
    expect(await database.db('service_changes')).to.deep.equal([]);
  });
});
