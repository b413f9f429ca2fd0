import { expect } from 'chai';
import { writeCsvCell } from '../../console/format.ts';

describe('a cell of a file for spreadsheets', () => {
  it('is marked where a spreadsheet would run it', () => {
    // biome-ignore format: a list
    const begins = [
      '=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠', ' =', '\u00a0=', '\r\n=',
    ];
    for (const begin of begins)
      expect(writeCsvCell(`${begin}HYPERLINK("x")`), JSON.stringify(begin)).to.equal(
        `"'${begin}HYPERLINK(""x"")"`,
      );
  });

  it('is as it was otherwise', () => {
    expect(['Ana = Bia', '', 'a\n=1', 1.5, -2].map(writeCsvCell)).to.deep.equal([
      '"Ana = Bia"',
      '""',
      '"a\n=1"',
      '1,5',
      '-2',
    ]);
  });
});
