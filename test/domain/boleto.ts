const BANK = '2379';
const DUE = '84660000012345';

/** Mod-10 check digit: weights 2 and 1 from right to left. */
function tenCheck(digits: string): number {
  const sum = Array.from(digits)
    .toReversed()
    .reduce((total, digit, at) => {
      const product = Number(digit) * (at % 2 === 0 ? 2 : 1);
      return total + (product > 9 ? product - 9 : product);
    }, 0);
  return (10 - (sum % 10)) % 10;
}

/** Mod-11 check digit: weights 2 to 9, repeated, from right to left. */
function elevenCheck(digits: string): number {
  const sum = Array.from(digits)
    .toReversed()
    .reduce((total, digit, at) => total + Number(digit) * (2 + (at % 8)), 0);
  const check = 11 - (sum % 11);
  return check > 9 ? 1 : check;
}

/** A bank payment line with valid check digits, different for each number. */
export function boletoOf(number: number): string {
  const free = String(number * 7_919).padStart(25, '10');
  const fields = [`${BANK}${free.slice(0, 5)}`, free.slice(5, 15), free.slice(15)];
  const checked = fields.map(field => `${field}${tenCheck(field)}`).join('');
  return `${checked}${elevenCheck(`${BANK}${DUE}${free}`)}${DUE}`;
}
