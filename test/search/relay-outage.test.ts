import { Writable } from 'node:stream';
import { expect } from 'chai';
import { connect } from '../../db/connection.ts';
import { makeLog } from '../../platform/log.ts';
import { limitsOf } from '../../workers/indexer/pipeline-limits.ts';
import { runRelay } from '../../workers/indexer/relay.ts';
import { openOnce } from '../support/opened.ts';
import { makeQueueStore } from '../support/queue-store.ts';

describe('the search relay on a database that takes no writes', () => {
  const store = openOnce(() => makeQueueStore('seeded'));
  const db = openOnce(() => connect(store.databaseUrl, { max: 2, applicationName: 'parley-test-relay' }));
  before(async () => {
    const admin = connect(store.databaseUrl, { max: 1, applicationName: 'parley-test-admin' });
    const name = new URL(store.databaseUrl).pathname.slice(1);
    await admin.raw(`alter database ${name} set default_transaction_read_only = on`);
    await admin.destroy();
  });

  it('gives up after some attempts, and logs the outage once', async () => {
    const logged: string[] = [];
    const sink = new Writable({ write: (line, _encoding, done) => done(void logged.push(String(line))) });
    const error = await runRelay({
      db,
      databaseUrl: store.databaseUrl,
      limits: { ...limitsOf.development, backOffMs: 10 },
      log: makeLog('test', 'info', sink),
      stop: new AbortController().signal,
      onLead: () => {},
    }).catch((reason: unknown) => reason);
    expect(String(error)).to.include('read-only');
    expect(logged.filter(line => line.includes('search.relay_lost'))).to.have.length(1);
  });
});
