import { expect } from 'chai';
import { jsonWeightOf } from '../../workers/domain/json-weight.ts';

const limits = { values: 1_000, characters: 10_000, depth: 32 };

describe('the weight of a JSON value', () => {
  it('counts each value, and about the characters of its text', () => {
    const value = { name: 'x'.repeat(500), list: [1, true, null, { inner: '' }] };
    const weight = jsonWeightOf(value, limits);
    expect(weight?.values).to.equal(8);
    expect(weight?.characters).to.be.closeTo(JSON.stringify(value).length, 60);
  });

  it('is none beyond a limit, however it is passed', () => {
    const deep = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`) as unknown;
    expect(jsonWeightOf(deep(32), limits)).to.not.equal(undefined);
    for (const over of [
      deep(33),
      deep(50_000),
      Array(1_001).fill(0),
      Array.from({ length: 40 }, () => Array(40).fill(0)),
      'x'.repeat(10_001),
      { ['x'.repeat(10_001)]: 1 },
    ])
      expect(jsonWeightOf(over, limits)).to.equal(undefined);
  });
});
