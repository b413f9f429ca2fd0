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

/** Stands for the unit of a number like `vinte`, which `e três` may replace. */
const OPEN_UNIT = '\0';

const digitsByWord = new Map([
  ...NUMBERS.flatMap((words, number) => words.map(word => [word, String(number)] as const)),
  ...TENS.map((word, at) => [word, `${at + 2}${OPEN_UNIT}`] as const),
]);

/** The text in small letters, with numbers that are written as words as digits: `vinte e três, sete` as `23, 7`. */
export function digitsFromWords(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(OPEN_UNIT, ' ')
    .replace(/\p{L}+/gu, word => digitsByWord.get(word) ?? word)
    .replace(/\0 e (\d)(?!\d)/gu, '$1')
    .replaceAll(OPEN_UNIT, '0');
}
