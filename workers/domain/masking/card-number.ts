/** Whether these digits are the number of a payment card: the first digits of an issuer, its length, and the check digit by Luhn. */
export function isCardNumber(values: Uint8Array, start: number, length: number): boolean {
  return isOfIssuer(values[start] ?? 0, values[start + 1] ?? 0, length) && holdsLuhn(values, start, length);
}

function isOfIssuer(first: number, second: number, length: number): boolean {
  switch (length) {
    case 13:
      return first === 4;
    case 14:
      return first === 3 && (second === 0 || second === 6 || second >= 8);
    case 15:
      return first === 3 && (second === 4 || second === 7);
    case 16:
      return first >= 4
        ? first <= 6
        : (first === 3 && (second === 5 || second === 8)) || (first === 2 && second >= 2);
    case 19:
      return first === 3 || first === 4 || first === 6;
    default:
      return false;
  }
}

/** Weights 1, 2, 1, … from right to left, digit sums of the products. */
function holdsLuhn(values: Uint8Array, start: number, length: number): boolean {
  let sum = 0;
  for (let at = 0; at < length; at++) {
    const value = values[start + length - 1 - at] ?? 0;
    const product = at % 2 === 0 ? value : 2 * value;
    sum += product > 9 ? product - 9 : product;
  }
  return sum % 10 === 0;
}
