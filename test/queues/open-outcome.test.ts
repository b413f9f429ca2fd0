import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { RawJson } from '../../platform/raw-json.ts';
import { makeSeal } from '../../platform/seal.ts';
import { failure, fieldFailure, isFailure, type Outcome } from '../../queues/contract/failure.ts';
import { openOutcome, sealOutcome } from '../../queues/transport/request.ts';

const seal = makeSeal('the secret key of this test, made up');
const owner = { jobId: 'job', hostId: null };
const open = async (outcome: Outcome<unknown>) => openOutcome(seal, await seal.seal(outcome, 'job'), owner);
const long = 'ção "}'.repeat(20_000);

describe('the outcome of a sealed reply', () => {
  it('is that of the worker, whatever it is, and of a long success its data as JSON', async () => {
    const data = fc.record({ text: fc.string(), value: fc.json(), isLong: fc.boolean() });
    const run = async (
      code: 200 | 201,
      { text, value, isLong }: { text: string; value: string; isLong: boolean },
    ) => {
      const sent = { text, value: JSON.parse(value) as unknown, filler: isLong ? long : '' };
      const outcome = await open({ code, data: sent });
      expect(outcome.code).to.equal(code);
      expect(outcome.data instanceof RawJson).to.equal(isLong);
      const opened = outcome.data instanceof RawJson ? outcome.data.parse() : outcome.data;
      expect(JSON.stringify(opened)).to.equal(JSON.stringify(sent));
    };
    await fc.assert(fc.asyncProperty(fc.constantFrom(200 as const, 201 as const), data, run));
  });

  it('is the same where the worker packed the data, and of its size where it is stored in another value', async () => {
    for (const data of [[], [{ text: 'ção "}' }], [long, long]]) {
      const packed = { code: 200, data: new RawJson([Buffer.from(JSON.stringify(data))]) } as const;
      for (const outcome of [packed, { code: 200, data } as const, failure('overloaded')]) {
        const opened = await openOutcome(seal, await sealOutcome(seal, outcome, owner), owner);
        expect(JSON.stringify(opened)).to.equal(JSON.stringify(outcome));
      }
      expect(JSON.stringify(packed)).to.equal(JSON.stringify({ code: 200, data }));
    }
  });

  it('is sealed alone where it has megabytes, whatever its form', async () => {
    let running = 0;
    const together: number[] = [];
    const noteRun = async () => {
      together.push((running += 1));
      await nextTurn();
      running -= 1;
      return '';
    };
    const noting = { ...seal, seal: noteRun, sealPieces: noteRun };
    const text = 'a'.repeat(2 ** 20);
    const forms = [{ text }, [text, text], text, new RawJson([Buffer.from(JSON.stringify(text))])];
    await Promise.all(forms.map(async data => sealOutcome(noting, { code: 200, data }, owner)));
    expect(together).to.deep.equal([1, 1, 1, 1]);
  });

  it('is a failure by its number, and never by a code that is a text of what was asked for', () => {
    expect(isFailure(failure('unauthorized'))).to.equal(true);
    expect(isFailure({ code: '404' })).to.equal(false);
  });

  it('is read whole where it is a failure, however long', async () => {
    const refused = fieldFailure('body', 'format', long);
    expect(await open(refused)).to.deep.equal(refused);
  });
});
