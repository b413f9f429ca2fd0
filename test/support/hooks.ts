import type { RootHookObject } from 'mocha';
import { assertDatabasesDropped, removeLeftovers, stopTestServer } from './database.ts';

/** Loaded by mocha before any test file. */
export const mochaHooks: RootHookObject = {
  /** A test that needed a retry passes, but is reported. */
  afterEach(this: Mocha.Context) {
    const test = this.currentTest;
    const again = (test as { currentRetry?: () => number } | undefined)?.currentRetry?.() ?? 0;
    if (test && again > 0) process.stderr.write(`needed another try: ${test.fullTitle()}\n`);
  },
  async afterAll(this: Mocha.Context) {
    this.timeout(60_000);
    // With `--parallel` this is called after each file, and the server of the process serves the next file as well.
    if (process.env.MOCHA_WORKER_ID === undefined) await stopTestServer();
    assertDatabasesDropped();
  },
};

/** Runs once, in the process that started those of `--parallel`. */
export const mochaGlobalTeardown = removeLeftovers;
