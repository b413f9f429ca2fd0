import { expect } from 'chai';
import { digitsFromWords } from '../../text/spelled-digits.ts';

describe('Numbers written as words', () => {
  const READ = [
    ['zero um dois três quatro cinco seis sete oito nove', '0 1 2 3 4 5 6 7 8 9'],
    ['Meia, DUAS e três', '6, 2 e 3'],
    ['vinte e três, trinta, dezenove', '23, 30, 19'],
    ['noventa e dez', '90 e 10'],
    ['duzentos e trinta e sete, cento e cinco, trezentos e dez', '237, 105, 310'],
    ['quinhentos e quarenta', '540'],
    ['doistrêssete', '237'],
    ['d\u200bois tr\u00ades s\u00e9te', '2 3 7'],
    ['❷❸❼ ➁➂ ⓶⓷ 二三七', '237 23 23 237'],
    ['one two three, uno dos', '1 2 3, 1 2'],
    ['algum dezembro unidos', 'algum dezembro unidos'],
  ] as const;
  for (const [text, read] of READ)
    it(`are read as digits: ${text}`, () => expect(digitsFromWords(text)).to.equal(read));
});
