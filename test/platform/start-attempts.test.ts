import { expect } from 'chai';
import { startWithAttempts } from '../../platform/start-attempts.ts';

/** A start that opens two parts, and fails with each of these errors in turn before it succeeds. */
function scripted(failures: readonly string[]) {
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
        if (failure !== undefined) throw new Error(failure);
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
    ];
    const starts = reasons.map(reason => scripted([reason, reason]));
    expect(await Promise.all(starts.map(({ run }) => run()))).to.deep.equal(reasons.map(() => 'started'));
    for (const { events, attempts } of starts) {
      expect(attempts()).to.equal(3);
      expect(events).to.deep.equal([...ofOneAttempt, 'logged', ...ofOneAttempt]);
    }
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
