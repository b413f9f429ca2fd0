import { expect } from 'chai';
import { joinLetters } from '../../workers/domain/documents/spaced-letters.ts';

/** Puts the texts on one line, and others below it. */
const joined = (texts: readonly string[], source = texts.join('\n'), below: readonly string[] = []) => {
  const item = (text: string, at: number, y: number) => ({ text, x: 50 + 80 * at, y, width: 70, size: 10 });
  const items = [
    ...texts.map((text, at) => item(text, at, 700)),
    ...below.map((text, at) => item(text, at, 600)),
  ];
  return joinLetters(items, source).map(({ text }) => text);
};

describe('letters that stand apart', () => {
  it('are words where wider gaps divide them, in the file or on the page, and where they are one word', () => {
    const heading = ['E D I T A L D E M A T R Í C U L A'];
    expect(joined(heading, 'E D I T A L  D E  M A T R Í C U L A')).to.deep.equal(['EDITAL DE MATRÍCULA']);
    expect(joined(['E D I T A L', ' ', 'N º', ' ', '1 2 / 2 0 2 7'])).to.deep.equal(['EDITAL Nº 12/2027']);
    expect(joined(['M A T R Í C U L A'], 'MATRÍCULA')).to.deep.equal(['MATRÍCULA']);
    expect(joined(['C O M U N I C A D O'])).to.deep.equal(['COMUNICADO']);
    expect(joined(['I N S T R U Ç Õ E S'], undefined, ['Leia as instruções.'])[0]).to.equal('INSTRUÇÕES');
  });

  it('stay as they are where they are answers, classes, days or several words that nothing divides', () => {
    const lists = [
      'A B C D E A C B D E',
      'S T Q Q S S D',
      'V F V V F',
      'A E I O U',
      'H I J K',
      '1 2 3 4 5',
      'A b e a',
    ];
    for (const list of [...lists, 'E D I T A L D E M A T R Í C U L A'])
      expect(joined([list])).to.deep.equal([list]);
    expect(joined(['A B C D', ' ', 'E F'])).to.deep.equal(['A B C D', ' ', 'E F']);
    expect(joined(['Turmas A B C D'])).to.deep.equal(['Turmas A B C D']);
  });
});
