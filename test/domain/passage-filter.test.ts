import { expect } from 'chai';
import { filterTermsOf } from '../../workers/domain/front-matter/passage-filter.ts';

describe('what a turn gives filters to go by', () => {
  const cases: readonly (readonly [
    why: string,
    globalData: Record<string, unknown>,
    userData: Record<string, unknown>,
    given: Record<string, readonly string[]>,
  ])[] = [
    ['a value, trimmed and folded', { curso: '  Direíto ' }, {}, { curso: ['direito'] }],
    [
      'the user’s where the conversation has none',
      { turno: 'noite' },
      { curso: 'Direito' },
      { turno: ['noite'], curso: ['direito'] },
    ],
    [
      'the conversation’s before the user’s',
      { curso: 'Letras' },
      { curso: 'Direito' },
      { curso: ['letras'] },
    ],
    [
      'the user’s where the conversation’s says nothing',
      { curso: ' ', turno: null },
      { curso: 'Direito', turno: 'noite' },
      { curso: ['direito'], turno: ['noite'] },
    ],
    [
      'each item of an array',
      { curso: ['Direito', 'LETRAS', 'letras'] },
      {},
      { curso: ['direito', 'letras'] },
    ],
    [
      'numbers and truths as they are written',
      { ano: 2026, bolsista: true },
      {},
      { ano: ['2026'], bolsista: ['true'] },
    ],
    ['nothing for what is no plain value', { a: {}, b: null, c: [], d: [{}], e: '' }, { f: undefined }, {}],
    ['keys as they are written', { Curso: 'x' }, {}, { Curso: ['x'] }],
  ];
  for (const [why, globalData, userData, given] of cases) {
    it(`is ${why}`, () => expect(filterTermsOf(globalData, userData)).to.deep.equal(given));
  }

  it('has no keys but its own', () => {
    const given = filterTermsOf(JSON.parse('{"__proto__": "x", "constructor": "y"}'), {});
    expect(Object.keys(given)).to.have.members(['__proto__', 'constructor']);
    expect(Object.hasOwn(filterTermsOf({}, {}), 'constructor')).to.equal(false);
  });
});
