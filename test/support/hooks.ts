import { randomInt } from 'node:crypto';
import { constants } from 'node:os';
import { configureGlobal } from 'fast-check';
import type { Context, RootHookObject, Runner } from 'mocha';
import { removeLeftovers } from './data-folders.ts';
import { collectFileTimes, fileTimesText, noteFileTime } from './file-times.ts';
import { makeOwnRedis, usesRedis } from './own-redis.ts';
import { providePages } from './program.ts';
import type { OwnRedis } from './redis-server.ts';
import { endRun } from './run-end.ts';

/* Loaded by mocha before any test file, and so loads no database. */

let redis: OwnRedis | undefined;

// A signal alone would end a process without its steps for `exit`, which end its servers. All processes of a run get the signal.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
  process.once(signal, () => process.exit(128 + constants.signals[signal]));

/**
 * Runs once, before the processes of `--parallel` are started. The inputs of properties follow from SEED; with STORE=redis the
 * queues are on a Redis of this run, with STORE=cluster on a cluster. The api serves the console as it was last built: tests of the pages build it.
 */
export async function mochaGlobalSetup(): Promise<void> {
  const seed = (process.env['SEED'] ??= String(randomInt(2 ** 31)));
  process.stdout.write(`The inputs of properties are those of SEED=${seed}.\n`);
  if (process.env['TIMES']) collectFileTimes();
  await providePages();
  if (!usesRedis || process.env['REDIS_URL']) return;
  redis = await makeOwnRedis();
  process.env['REDIS_URL'] = redis.url;
}

export const mochaHooks: RootHookObject = {
  beforeAll() {
    configureGlobal({ seed: Number(process.env['SEED']) });
  },
  async afterAll(this: Context) {
    await endRun();
    const suite = this.test?.parent;
    noteFileTime(suite?.suites[0]?.file ?? suite?.tests[0]?.file ?? 'unknown', suite?.total() ?? 0);
  },
};

/** Runs once, after the last test; mocha gives its runner as `this`. */
export const mochaGlobalTeardown = async function (this: Runner): Promise<void> {
  await removeLeftovers();
  await redis?.kill();
  const { passes = 0, failures = 0 } = this.stats ?? {};
  process.stdout.write(fileTimesText(Number(process.env['TIMES'])));
  process.stdout.write(`\n${passes} passed, ${failures} failed\n`);
};
