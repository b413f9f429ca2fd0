const { availableParallelism } = require('node:os');

module.exports = {
  timeout: 120_000,
  slow: 1_000,
  'forbid-only': true,
  require: ['tsx', 'test/support/hooks.ts'],
  // A process of tests keeps one core busy with its PostgreSQL, and takes some 700 MB.
  jobs: Math.min(Math.max(availableParallelism(), 2), 8),
};
