import { availableParallelism } from 'node:os';

/** A process of tests keeps one core busy with its PostgreSQL, and takes some 700 MB. */
const jobs = Math.min(Math.max(availableParallelism(), 2), 8);

// Mocha reads the default export.
// oxlint-disable-next-line import/no-default-export
export default {
  timeout: 120_000,
  slow: 1_000,
  'forbid-only': true,
  require: ['tsx', 'test/support/hooks.ts'],
  jobs,
};
