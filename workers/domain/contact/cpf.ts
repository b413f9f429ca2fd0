import { readDigits } from '../text/read-digits.ts';

/** The eleven digits of a CPF with valid check digits, with or without its dots and hyphen. */
export function cpfOf(text: string): string | undefined {
  if (!/^\s*(?:[0-9]{11}|[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2})\s*$/.test(text)) return undefined;
  const digits = Array.from(readDigits(text), Number);
  // Eleven equal digits pass the check, but are no issued CPF.
  if (digits.every(digit => digit === digits[0])) return undefined;
  const holds =
    digits[9] === checkDigit(digits.slice(0, 9)) && digits[10] === checkDigit(digits.slice(0, 10));
  return holds ? digits.join('') : undefined;
}

function checkDigit(digits: readonly number[]): number {
  const sum = digits.reduce((total, digit, at) => total + digit * (digits.length + 1 - at), 0);
  return ((sum * 10) % 11) % 10;
}
