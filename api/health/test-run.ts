import Router from '@koa/router';
import { type FieldError, fieldError } from '../../platform/field-error.ts';
import { failure } from '../../queues/contract/failure.ts';
import type { TypeOf } from '../../queues/contract/shape.ts';
import type { ApiMiddleware, Ctx, State } from '../context.ts';
import { makeSecretCheck } from '../guards/rate-limit.ts';
import { makeBodyReader } from '../guards/read-body.ts';
import { refuseFields, validateBody } from '../guards/validate.ts';
import { RefusalError } from '../replies/envelope.ts';
import { makeGoneSignal } from '../request-options.ts';
import { hasRunner, runSuites } from './run-suites.ts';
import {
  runTests as call,
  type TestRunOptions,
  testRunOptions,
  type testRunResult,
} from './test-run-call.ts';

export interface TestRunSettings {
  readonly appEnv: string;
  readonly enableTestEndpoint: boolean;
  readonly testEndpointToken?: string | undefined;
}

/** Only these are parsed as booleans: a pattern may be the text "true". */
const flags = ['watch', 'coverage'];

/** Runs the tests of this project: one run at a time, never in production. */
export function makeTestRunRoutes(settings: TestRunSettings, bodyTimeLimitMs: number): Router<State> {
  let isRunning = false;
  const run: ApiMiddleware = async ctx => {
    const options = readOptions(ctx);
    if (!hasRunner()) throw new RefusalError(failure('test-runner-missing'));
    if (isRunning) throw new RefusalError(failure('tests-running'));
    isRunning = true;
    try {
      ctx.body = await runTests(options, makeGoneSignal(ctx));
    } finally {
      isRunning = false;
    }
  };
  const router = new Router<State>();
  const steps = [
    guard(settings),
    makeBodyReader({ timeLimitMs: bodyTimeLimitMs, timeoutRefusal: 'deadline' }),
    run,
  ];
  router.register(call.path, [call.method], steps as never);
  return router;
}

export function mayRunTests({ appEnv, enableTestEndpoint }: TestRunSettings): boolean {
  return enableTestEndpoint && appEnv !== 'production';
}

function guard(settings: TestRunSettings): ApiMiddleware {
  const { testEndpointToken } = settings;
  const checkSecret = makeSecretCheck();
  return async (ctx, next) => {
    if (!mayRunTests(settings)) throw new RefusalError(failure('tests-disabled'));
    const token = ctx.get('x-test-token') || String(ctx.query['token'] ?? '');
    const isRight =
      !testEndpointToken || (token !== '' && (await checkSecret(ctx, token, testEndpointToken)));
    if (!isRight) throw new RefusalError(failure('unauthorized'));
    return next();
  };
}

function readOptions(ctx: Ctx): TestRunOptions {
  const { token: _token, ...query } = ctx.query;
  const isFlag = (name: string, value: unknown) =>
    flags.includes(name) && (value === 'true' || value === 'false');
  const fields = Object.entries(query).map(([name, value]) => [
    name,
    isFlag(name, value) ? value === 'true' : value,
  ]);
  const options = validateBody(
    ctx,
    testRunOptions,
    fields.length > 0 ? Object.fromEntries(fields) : ctx.state.body,
  );
  const errors = [...findWatchError(options), ...findPatternErrors(options)];
  if (errors.length > 0) refuseFields(errors);
  return options;
}

function findWatchError({ watch }: TestRunOptions): FieldError[] {
  const message = 'must be false: watching would never end';
  return watch ? [fieldError('watch', 'not-allowed', message)] : [];
}

function findPatternErrors(options: TestRunOptions): FieldError[] {
  return (['testPathPattern', 'testNamePattern'] as const).flatMap(path => {
    try {
      RegExp(options[path] ?? '');
      return [];
    } catch {
      return [fieldError(path, 'format', 'must be a regular expression')];
    }
  });
}

async function runTests(options: TestRunOptions, gone: AbortSignal): Promise<TypeOf<typeof testRunResult>> {
  const startTime = Date.now();
  const since = performance.now();
  const { testPathPattern = '', testNamePattern = '', coverage = false } = options;
  const run = await runSuites({ testPathPattern, testNamePattern, coverage }, gone);
  if (!run) throw new RefusalError(failure('internal', { hint: 'the test run ended without a result' }));
  const { passed, failed, pending, suites, failedSuites, brokenSuites, coverageMap } = run;
  return {
    // A run without tests is not a success.
    success: passed + failed > 0 && failed === 0 && failedSuites === 0,
    numTotalTests: passed + failed + pending,
    numPassedTests: passed,
    numFailedTests: failed,
    numPendingTests: pending,
    numTotalTestSuites: suites,
    numPassedTestSuites: suites - failedSuites,
    numFailedTestSuites: failedSuites,
    numRuntimeErrorTestSuites: brokenSuites,
    startTime,
    endTime: Math.round(startTime + performance.now() - since),
    coverageMap,
  };
}
