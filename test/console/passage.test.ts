import { expect } from 'chai';
import { nameDocument } from '../../console/passage.ts';

describe('the title of a document, as the console shows it', () => {
  it('has the row of a table in Portuguese, and everything else as it was written', () => {
    expect(nameDocument('cursos.csv, row 2')).to.equal('cursos.csv, linha 2');
    expect(nameDocument('cursos.xlsx, Manhã, row 12')).to.equal('cursos.xlsx, Manhã, linha 12');
    for (const title of ['guia.pdf, p. 3', 'row 2', 'row 2.csv', 'a, row 2, row b', ''])
      expect(nameDocument(title)).to.equal(title);
  });
});
