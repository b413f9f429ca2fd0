import { expect } from 'chai';
import { digitsFromWords } from '../../workers/domain/payments/spelled-digits.ts';

describe('Numbers written as words', () => {
  const READ = [
    ['zero um dois três quatro cinco seis sete oito nove', '0 1 2 3 4 5 6 7 8 9'],
    ['Meia, DUAS e três', '6, 2 e 3'],
    ['vinte e três, trinta, dezenove', '23, 30, 19'],
    ['noventa e dez', '90 e 10'],
    ['one two three, uno dos', '1 2 3, 1 2'],
    ['algum dezembro oitocentos', 'algum dezembro oitocentos'],
  ] as const;
  for (const [text, read] of READ)
    it(`are read as digits: ${text}`, () => expect(digitsFromWords(text)).to.equal(read));
});
