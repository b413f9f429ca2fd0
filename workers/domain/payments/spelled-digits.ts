/** Words for digits in Portuguese, Spanish and English, and for the Portuguese numbers up to 19. */
const NUMBERS = [
  ['zero', 'cero'],
  ['um', 'uma', 'hum', 'uno', 'one'],
  ['dois', 'duas', 'dos', 'two'],
  ['três', 'tres', 'three'],
  ['quatro', 'cuatro', 'four'],
  ['cinco', 'five'],
  ['seis', 'meia', 'six'],
  ['sete', 'siete', 'seven'],
  ['oito', 'ocho', 'eight'],
  ['nove', 'nueve', 'nine'],
  ['dez'],
  ['onze'],
  ['doze'],
  ['treze'],
  ['quatorze', 'catorze'],
  ['quinze'],
  ['dezesseis', 'dezasseis'],
  ['dezessete', 'dezassete'],
  ['dezoito'],
  ['dezenove', 'dezanove'],
];
const TENS = ['vinte', 'trinta', 'quarenta', 'cinquenta', 'sessenta', 'setenta', 'oitenta', 'noventa'];

const numberOf = new Map(NUMBERS.flatMap((words, number) => words.map(word => [word, String(number)])));
const tensOf = new Map(TENS.map((word, at) => [word, String(at + 2)]));

const WORD = /\p{L}+/gu;
const TENS_AND_ONE = new RegExp(`(${TENS.join('|')}) e (\\p{L}+)`, 'gu');

/** The text in small letters, with numbers that are written as words as digits: `vinte e três, sete` as `23, 7`. */
export function digitsFromWords(text: string): string {
  const withTens = text.toLowerCase().replace(TENS_AND_ONE, (all, tens: string, one: string) => {
    const digit = numberOf.get(one) ?? '';
    return digit.length === 1 ? `${tensOf.get(tens)}${digit}` : all;
  });
  return withTens.replace(WORD, word => {
    const tens = tensOf.get(word);
    return tens === undefined ? (numberOf.get(word) ?? word) : `${tens}0`;
  });
}
