import { expect } from 'chai';
import { SettingError } from '../../platform/field-error.ts';
import { extendDuringStart, startWithAttempts } from '../../platform/start-attempts.ts';
import { eventually } from '../support/eventually.ts';

/** A start that opens two parts, and fails with each of these errors in turn before it succeeds. */
function scripted(failures: readonly (string | Error)[]) {
  const events: string[] = [];
  let attempts = 0;
  const log = { warn: () => void events.push('logged') };
  const open = (name: string) => ({ close: async () => void events.push(`closed ${name}`) });
  const run = (tryForMs?: number) =>
    startWithAttempts(
      log,
      async keep => {
        keep(open('first'));
        keep(open('second'));
        const failure = failures[attempts++];
        if (failure !== undefined) throw typeof failure === 'string' ? new Error(failure) : failure;
        return 'started';
      },
      tryForMs,
    );
  return { run, events, attempts: () => attempts };
}

const ofOneAttempt = ['closed second', 'closed first'];

describe('a start that fails', () => {
  it('is tried again while its reason may pass, with what it had opened closed, and logged once', async () => {
    const reasons = [
      'Connection terminated due to connection timeout',
      'Command timed out',
      'connect EHOSTUNREACH 10.0.0.1:5432',
      'connect ETIMEDOUT 10.0.0.1:5432',
      'getaddrinfo ENOTFOUND db',
    ];
    const starts = reasons.map(reason => scripted([reason, reason]));
    expect(await Promise.all(starts.map(({ run }) => run()))).to.deep.equal(reasons.map(() => 'started'));
    for (const { events, attempts } of starts) {
      expect(attempts()).to.equal(3);
      expect(events).to.deep.equal([...ofOneAttempt, 'logged', ...ofOneAttempt]);
    }
  });

  it('is tried again for what the server says by its code, whatever its words quote', async () => {
    const coded = (message: string, code: string) => Object.assign(new Error(message), { code });
    const passing = [
      coded('the database system is not yet accepting connections', '57P03'),
      coded('sorry, too many clients already', '53300'),
      coded('connect ECONNREFUSED 127.0.0.1:1', 'ECONNREFUSED'),
    ];
    const lasting = [
      coded('database "timeout" does not exist', '3D000'),
      coded('role "LOADING" does not exist', '28000'),
      new SettingError('setting "DATABASE_URL" is refused by the server: database "timeout" does not exist'),
    ];
    const attempts = async (failure: Error) => {
      const start = scripted([failure]);
      await start.run().catch(() => undefined);
      return start.attempts();
    };
    expect(await Promise.all(passing.map(attempts))).to.deep.equal([2, 2, 2]);
    expect(await Promise.all(lasting.map(attempts))).to.deep.equal([1, 1, 1]);
  });

  it('waits longer for its connections, and no longer than usual once it has ended', async () => {
    const pool = { fromMs: 2_000, longMs: 60_000 };
    extendDuringStart(pool, 'fromMs');
    extendDuringStart(pool, 'longMs');
    const limits = () => [pool.fromMs, pool.longMs];
    expect(await startWithAttempts({ warn() {} }, async () => limits())).to.deep.equal([15_000, 60_000]);
    // Services of other tests may start in this process meanwhile.
    await eventually(limits, ([from, long]) => from === 2_000 && long === 60_000);
  });

  it('fails at once for a reason that stays, and after the time for one that does not pass', async () => {
    const wrong = scripted(['the database lacks the migration 0042: run the release step']);
    const gone = scripted(['connect ECONNREFUSED 127.0.0.1:1']);
    const failures = [wrong.run(), gone.run(0)].map(run =>
      run.catch((error: unknown) => (error as Error).message),
    );
    expect(await Promise.all(failures)).to.deep.equal([
      'the database lacks the migration 0042: run the release step',
      'connect ECONNREFUSED 127.0.0.1:1',
    ]);
    expect([wrong.attempts(), gone.attempts()]).to.deep.equal([1, 1]);
    expect([wrong.events, gone.events]).to.deep.equal([ofOneAttempt, ofOneAttempt]);
  });
});
