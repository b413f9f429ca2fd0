import { expect } from 'chai';
import { cpfAndPhoneIn } from '../../workers/domain/search/cpf-and-phone.ts';
import { highlightOf } from '../../workers/domain/search/search-highlight.ts';

describe('the query of a search', () => {
  it('may be a phone from four digits on', () => {
    expect(cpfAndPhoneIn('1234')).to.deep.include({ digits: '1234', endings: ['1234'] });
    for (const query of ['123', 'Ana', ''])
      expect(cpfAndPhoneIn(query), query).to.deep.include({ digits: undefined, endings: [] });
  });
});

describe('a found text', () => {
  it('shows by a sign on either side that it goes on there', () => {
    const show = (text: string) => highlightOf(text, word => word === 'prova');
    expect(show('A prova.')).to.equal('A <mark>prova</mark>.');
    const long = 'palavra '.repeat(100);
    expect(show(`prova ${long}`)).to.match(/^<mark>prova<\/mark> .*…$/);
    expect(show(`${long}prova`)).to.match(/^….* <mark>prova<\/mark>$/);
  });
});
