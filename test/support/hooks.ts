import type { RootHookObject } from 'mocha';
import { stopTestServer } from './database.ts';

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
    await stopTestServer();
  },
};
