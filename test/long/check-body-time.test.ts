import { expect } from 'chai';
import { checkBody } from '../../queues/contract/check-body.ts';
import { operationNames, operationOf } from '../../queues/contract/operations/index.ts';
import { anyValue } from '../../queues/contract/shape.ts';
import { declaredLengths, longList, longMap, longTexts } from '../queues/declared-lengths.ts';
import { timeOf } from '../support/growth.ts';
import { pathsIn, withField } from '../support/operation-calls.ts';

const MIB = 1_048_576;
const bodies = operationNames.map(name => ({ name, ...operationOf(name) }));

describe('the processor time of the check of a body', () => {
  /** The time for parsing a body of the maximum size. */
  const parsing = quickest(() => JSON.parse(longList('{}', MIB)));

  it('is less for a list or map of 1 MiB than the time it is parsed in', () => {
    const parsed = (make: typeof longList) =>
      ['{}', 'null'].map((filler): [string, unknown] => [filler, JSON.parse(make(filler, MIB))]);
    const longOnes = { list: parsed(longList), map: parsed(longMap) };
    for (const { body } of bodies) {
      for (const { path, kind, bodyWith } of declaredLengths(body)) {
        for (const [filler, long] of longOnes[kind]) {
          const sent = bodyWith(long);
          expect(
            quickest(() => checkBody(body, sent)),
            `${path} ${filler}`,
          ).to.be.below(parsing);
        }
      }
    }
  });

  it('is less for 1 MiB of names that nobody knows, too', () => {
    const named = (name: (at: number) => string) => {
      const names = Array.from({ length: MIB / name(0).length }, (_, at) => `"${name(at)}":0`);
      return `{${names.join(',')}}`.slice(0, MIB);
    };
    for (const name of [(at: number) => `a${at}`, (at: number) => `${'_'.repeat(150)}${at}`]) {
      const sent = JSON.parse(`${named(name).replace(/,[^,]*$/, '')}}`);
      const body = bodies[0]?.body ?? anyValue();
      expect(quickest(() => checkBody(body, sent, { mayRespell: true }))).to.be.below(parsing);
    }
  });

  it('is no longer where all items that there may be are wrong', () => {
    for (const { name, body } of bodies) {
      for (const { path, kind, max, bodyWith } of declaredLengths(body)) {
        for (const wrong of [{}, 0, { type: 1 }, [[]], null]) {
          const items = Array.from({ length: max }, (_, at) => [`${at}`, wrong]);
          const sent = bodyWith(kind === 'list' ? items.map(([, item]) => item) : Object.fromEntries(items));
          expect(
            quickest(() => checkBody(body, sent)),
            `${name} ${path}`,
          ).to.be.below(parsing);
        }
      }
    }
  });

  it('does not follow from the length of a text that is wrong', () => {
    for (const { body, example } of bodies) {
      for (const path of pathsIn(example.body)) {
        for (const text of longTexts) {
          const sent = withField({ ...Object(example.body) }, path, text);
          expect(
            quickest(() => checkBody(body, sent)),
            path,
          ).to.be.below(parsing);
        }
      }
    }
  });
});

/** Of three runs, because other work of this process counts, too. */
function quickest(run: () => unknown): number {
  return Math.min(...Array.from({ length: 3 }, () => timeOf(run)));
}
