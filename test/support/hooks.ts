import type { RootHookObject } from 'mocha';
import { removeLeftovers } from './data-folders.ts';
import { endRun } from './run-end.ts';

/** Loaded by mocha before any test file. */
export const mochaHooks: RootHookObject = {
  /** A test that needed a retry passes, but is reported. */
  afterEach(this: Mocha.Context) {
    const test = this.currentTest;
    const again = (test as { currentRetry?: () => number } | undefined)?.currentRetry?.() ?? 0;
    if (test && again > 0) process.stderr.write(`needed another try: ${test.fullTitle()}\n`);
  },
  async afterAll(this: Mocha.Context) {
    await endRun();
  },
};

/** Runs once, in the process that started those of `--parallel`. */
export const mochaGlobalTeardown = removeLeftovers;
