const base = require('../.mocharc.cjs');

/*
 * `test:redis` and `test:cluster` run these once more: whatever the store of the queues decides. What does without it (pure
 * functions, the statements of PostgreSQL), and what a job only carries to a worker (the words of a turn, models, tools, records of a host), runs with
 * `npm test` alone.
 */

const operations = {
  journey:
    'jobs job-addresses jobs-of-several-hosts round-trips pipelined-requests queue-board tracing watching shared-worker',
  turns:
    'reason reason-disconnect reason-failures reason-memory reason-order reason-overload reason-too-late fair-turns disabled-hosts',
  bursts: 'reason-bursts reason-recordings reason-recording-bursts',
  streams: 'reason-stream openai openai-attachments tool-server',
  events: 'events callbacks deliveries import-events console-notices',
  intake: 'intake intake-records intake-trouble signed-intake signed-strangers early-ack',
  knowledge: 'documents documents-of-sites fair-documents read-chunks knowledge-gaps evaluate-changes',
  money: 'budgets spend bill',
  lists: 'list-pages conversation-lists message-list audit audit-list hosts mcp-configs reports search-admin',
};
const ofOperations = Object.values(operations).flatMap(names =>
  names.split(' ').map(name => `test/operations/${name}.{test,ci.test}.ts`),
);

const ofPostgres = 'kept-locks library-tables postgres-replies same-rows sparing-pool stall-checks';
const pure = 'check-body open-outcome operations pressure waiters';

const onRedis = [
  'test/{canaries,health-checks,start-checks}.ci.test.*',
  'test/contracts/contracts.test.ts',
  ...ofOperations,
];
const onCluster = ['test/faults/{cluster-failover,reply-connection}.test.*'];

module.exports = {
  ...base,
  spec: ['test/queues/**/*.test.ts', ...(process.env.STORE === 'cluster' ? onCluster : onRedis)],
  ignore: `${ofPostgres} ${pure}`.split(' ').map(name => `test/queues/${name}.{test,ci.test}.ts`),
};
