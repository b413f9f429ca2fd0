import { expect } from 'chai';
import * as fc from 'fast-check';
import { jsonOf, rowsOf } from '../../db/rows-of.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';

type Terms = Readonly<Record<string, readonly string[]>>;

describe('a filter', () => {
  const { db } = openOnce(makeDatabase);

  const lets = async (filter: Terms | null, given: Terms) => {
    const [row] = await rowsOf<{ lets: boolean }>(db)`
      select is_meant_for(${filter && jsonOf(filter)}::jsonb, ${jsonOf(given)}::jsonb) as lets`;
    return row?.lets;
  };

  it('lets nobody read without a value for each of its keys', async () => {
    expect(await lets({ curso: ['direito'] }, {})).to.equal(false);
    expect(await lets({ curso: ['direito'], turno: ['noite'] }, { curso: ['direito'] })).to.equal(false);
    expect(await lets({ curso: [] }, { curso: ['direito'] })).to.equal(false);
  });

  it('lets read whoever has one of its values for each key, and everybody where there is none', async () => {
    expect(await lets({ curso: ['direito', 'letras'] }, { curso: ['letras', 'musica'] })).to.equal(true);
    expect(await lets({ curso: ['direito'] }, { curso: ['letras'] })).to.equal(false);
    expect(await lets(null, {})).to.equal(true);
  });

  it('does what its definition says, whatever is declared and given', async () => {
    const terms = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', '%', '"'), { maxLength: 3 });
    const byKey = fc.dictionary(fc.constantFrom('k', 'l', '__proto__', "o'"), terms);
    await fc.assert(
      fc.asyncProperty(byKey, byKey, async (filter, given) => {
        const expected = Object.entries(filter).every(([key, declared]) =>
          declared.some(term => Object.hasOwn(given, key) && given[key]?.includes(term)),
        );
        expect(await lets(filter, given)).to.equal(expected);
      }),
      { numRuns: 150 },
    );
  });
});
