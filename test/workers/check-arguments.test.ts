import { expect } from 'chai';
import { fieldError } from '../../platform/field-error.ts';
import { checkArguments } from '../../workers/turns/check-arguments.ts';
import { eventually } from '../support/eventually.ts';

describe('the check of the arguments of an agent', () => {
  const neverEnds = () => new AbortController().signal;
  let hosts = 0;
  const nextHost = () => `host ${(hosts += 1)}`;
  const check = (hostId: string, title: string, a: string) => {
    const schema = { type: 'object', title, properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
    return checkArguments({ hostId, signal: neverEnds() }, { schema, args: { a } });
  };
  const endless = `${'a'.repeat(40)}!`;

  it('tells the errors, and that a schema cannot be checked which leads to itself', async () => {
    const hostId = nextHost();
    expect(await check(hostId, 'a', 'aaa')).to.deep.equal([]);
    expect(await check(hostId, 'a', 'b')).to.deep.equal([
      fieldError('/a', 'schema', 'must match pattern "^(a+)+$"'),
    ]);
    const itself = { type: 'object', $ref: '#' };
    const errors = await checkArguments({ hostId, signal: neverEnds() }, { schema: itself, args: {} });
    expect(errors?.[0]?.message).to.match(/^cannot be checked/);
  });

  it('that never ends is given up, and nothing of the process waits for it', async () => {
    let isDone = false;
    const checked = check(nextHost(), 'a', endless).finally(() => (isDone = true));
    for (let steps = 0; steps < 100; steps += 1) await new Promise(resolve => setImmediate(resolve));
    expect(isDone).to.equal(false);
    expect(await checked).to.equal(undefined);
  });

  it('is not begun again for a while where it never ended, but for another host', async () => {
    const hostId = nextHost();
    await check(hostId, 'a', endless);
    expect(await check(hostId, 'a', 'aaa')).to.equal(undefined);
    expect(await check(nextHost(), 'a', 'aaa')).to.deep.equal([]);
    // The thread that it ended was started at its cost.
    await eventually(
      () => check(hostId, 'b', 'aaa'),
      errors => errors?.length === 0,
    );
  });

  it('has a part of the time for each host, and not for each schema, call or turn', async () => {
    const [one, other] = [nextHost(), nextHost()];
    const all = Array.from({ length: 16 }, (_, at) => check(one, `endless ${at}`, endless));
    const last = check(one, 'harmless', 'aaa');
    // It waits for the one that runs, and not for the other fifteen.
    expect(await Promise.race([check(other, 'harmless', 'aaa'), last])).to.deep.equal([]);
    expect(await Promise.all(all)).to.deep.equal(all.map(() => undefined));
    expect(await last).to.equal(undefined);
    expect(await check(other, 'harmless', 'aaa')).to.deep.equal([]);
  });

  it('of a bomb of references ends, and for others it goes on', async () => {
    const level = (at: number) => ({
      allOf: [{ $ref: `#/$defs/l${at + 1}` }, { $ref: `#/$defs/l${at + 1}` }],
    });
    const levels = Array.from({ length: 20 }, (_, at) => [`l${at}`, level(at)] as const);
    const bomb = {
      type: 'object',
      $defs: { ...Object.fromEntries(levels), l20: { type: 'object', minProperties: 1 } },
      allOf: [{ $ref: '#/$defs/l0' }],
    };
    expect(
      await checkArguments({ hostId: nextHost(), signal: neverEnds() }, { schema: bomb, args: {} }),
    ).to.equal(undefined);
    expect(await check(nextHost(), 'a', 'aaa')).to.deep.equal([]);
  });

  it('that ended the thread has waited for the next one, which no other host has to', async () => {
    const started: unknown[] = [];
    const note = (worker: unknown) => started.push(worker);
    await check(nextHost(), 'a', 'aaa');
    process.on('worker', note);
    await check(nextHost(), 'a', endless);
    expect(started).to.have.length(1);
    expect(await check(nextHost(), 'a', 'aaa')).to.deep.equal([]);
    expect(started).to.have.length(1);
    process.off('worker', note);
  });

  it('costs a host the time of its own thread, however busy the process is besides', async () => {
    const hostId = nextHost();
    const checked: unknown[] = [];
    for (let at = 0; at < 30; at += 1) {
      const checking = check(hostId, 'a', 'aaa');
      await new Promise(resolve => process.nextTick(resolve));
      for (const until = performance.now() + 100; performance.now() < until; );
      checked.push(await checking);
    }
    expect(checked).to.deep.equal(checked.map(() => []));
  });

  it('does not run where the turn has ended meanwhile', async () => {
    const ended = new AbortController();
    const [hostId, args] = [nextHost(), { a: 'aaa' }];
    const running = check(hostId, 'a', endless);
    const waiting = checkArguments({ hostId, signal: ended.signal }, { schema: { type: 'object' }, args });
    ended.abort(new Error('ended'));
    expect(await waiting.catch((error: Error) => error.message)).to.equal('ended');
    expect(await running).to.equal(undefined);
  });
});
