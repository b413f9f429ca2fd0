const BANK = '2379';
const DUE = '84660000012345';

/** What is missing to ten, of the products from right to left by 2 and 1. */
function tenCheck(digits: string): number {
  const sum = Array.from(digits)
    .toReversed()
    .reduce((total, digit, at) => {
      const product = Number(digit) * (at % 2 === 0 ? 2 : 1);
      return total + (product > 9 ? product - 9 : product);
    }, 0);
  return (10 - (sum % 10)) % 10;
}

/** What is missing to eleven, of the products from right to left by 2 to 9 and again. */
function elevenCheck(digits: string): number {
  const sum = Array.from(digits)
    .toReversed()
    .reduce((total, digit, at) => total + Number(digit) * (2 + (at % 8)), 0);
  const check = 11 - (sum % 11);
  return check > 9 ? 1 : check;
}

/** A bank's payment line whose check digits hold, another for each number. */
export function boletoOf(number: number): string {
  const free = String(number * 7_919).padStart(25, '10');
  const fields = [`${BANK}${free.slice(0, 5)}`, free.slice(5, 15), free.slice(15)];
  const checked = fields.map(field => `${field}${tenCheck(field)}`).join('');
  return `${checked}${elevenCheck(`${BANK}${DUE}${free}`)}${DUE}`;
}
