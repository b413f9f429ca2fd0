import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { runSuites } from '../../api/health/run-suites.ts';
import { eventually } from '../support/eventually.ts';
import { borrowService, type CallOptions, openService } from '../support/service.ts';

const RUN = '/api/tests/run';
const SECRET = 'whoever knows this may run them';
const quick = { testPathPattern: 'domain/prompt.test' };

describe('the test endpoint, where it is not enabled', () => {
  const inProduction = { appEnv: 'production', enableTestEndpoint: true };
  for (const [title, settings] of [
    ['by default', undefined],
    ['in production, whatever is set', inProduction],
  ] as const)
    it(`refuses ${title}`, async () => {
      const service = await borrowService(settings);
      const { status, body } = await service.call(RUN, quick);
      await service.close();
      expect({ status, code: body.code }).to.deep.equal({ status: 403, code: 403 });
    });
});

describe('the test endpoint', () => {
  const service = openService({ enableTestEndpoint: true, testEndpointToken: SECRET });
  const run = (body: unknown, query = '', headers: CallOptions['headers'] = { 'x-test-token': SECRET }) =>
    service.call(`${RUN}${query}`, body, { headers, token: undefined, method: 'POST' });

  it('asks for its own token, in the header before the query', async () => {
    expect((await run(quick, '', {})).status).to.equal(401);
    expect((await run(quick, '?token=wrong', {})).status).to.equal(401);
    const { status } = await run(quick, `?token=${encodeURIComponent(SECRET)}`, { 'x-test-token': 'wrong' });
    expect(status).to.equal(401);
    // The token is valid here: the option is refused.
    expect((await run({ watch: true }, `?token=${encodeURIComponent(SECRET)}`, {})).status).to.equal(400);
  });

  it('refuses what it cannot do, and names it', async () => {
    const wrong = {
      watch: [{ watch: true }, ''],
      testPathPattern: [{ testPathPattern: '(' }, ''],
      testNamePattern: [undefined, `?testNamePattern=${'a'.repeat(201)}`],
      coverage: [{ coverage: 'yes' }, ''],
    } as const;
    for (const [field, [body, query]] of Object.entries(wrong)) {
      const { status, body: answer } = await run(body ?? {}, query);
      expect(status, field).to.equal(400);
      expect(answer.data.fields.map(({ path }: { path: string }) => path)).to.deep.equal([field]);
    }
  });

  it('really runs the tests that match, one run at a time, and counts them', async () => {
    const answers = await Promise.all([run(quick), run(quick), run(quick)]);
    expect(answers.map(({ status }) => status)).to.have.members([200, 409, 409]);
    const { body } = answers.find(({ status }) => status === 200) ?? expect.fail();
    expect(body).to.include({
      success: true,
      numTotalTestSuites: 1,
      numPassedTestSuites: 1,
      coverageMap: '',
    });
    expect(body.numTotalTests).to.equal(body.numPassedTests).and.to.be.at.least(5);
    expect(body.endTime).to.be.at.least(body.startTime);
  });

  const nothingRan = { success: false, numTotalTests: 0, numFailedTests: 0, numFailedTestSuites: 0 };

  it('reads its options from the query, which may pick tests by name, and gives the coverage', async () => {
    const { body } = await run(
      {},
      '?testPathPattern=domain/prompt.test&testNamePattern=no such test&coverage=true',
    );
    // No success, where no name matches.
    expect(body).to.include({ ...nothingRan, numTotalTestSuites: 1 });
    expect(JSON.parse(body.coverageMap).total.lines.total).to.be.above(0);
  });

  it('takes a word in the query for a pattern where one belongs, be it "true", and is no success where no file matches', async () => {
    const { status, body } = await run(undefined, '?testPathPattern=no/such/file&testNamePattern=true');
    expect(status).to.equal(200);
    expect(body).to.include({ ...nothingRan, numTotalTestSuites: 0 });
  });

  it('leaves no process behind when it is given up, not even one that hears nothing', async () => {
    // Matching this pattern never ends, and blocks signal handlers.
    const testPathPattern = `^(([a-z/-])+[./]?)+[A-Z]${process.pid}$`;
    const left = () =>
      execFileSync('ps', ['-axo', 'time,args'], { encoding: 'utf8' })
        .split('\n')
        .filter(line => line.includes(testPathPattern));
    const isBusy = (line: string) => Number(/(\d\d)(?:\.\d+)? /.exec(line)?.[1]) >= 1;
    const given = new AbortController();
    const ended = runSuites({ testPathPattern, testNamePattern: '', coverage: true }, given.signal, 500);
    // Two processes: coverage and the tests, which have been matching for a while by then.
    await eventually(
      async () => left(),
      seen => seen.length === 2 && seen.some(isBusy),
    );
    given.abort();
    expect(await ended).to.equal(undefined);
    await eventually(() => left(), []);
  });
});
