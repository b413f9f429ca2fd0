import type { RootHookObject } from 'mocha';
import { stopTestServer } from './database.ts';

/** Loaded by mocha before any test file. */
export const mochaHooks: RootHookObject = {
  async afterAll(this: Mocha.Context) {
    this.timeout(60_000);
    await stopTestServer();
  },
};
