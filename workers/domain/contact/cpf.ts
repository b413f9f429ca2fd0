import { readDigits } from '../text/read-digits.ts';

const LENGTH = 11;

/** The eleven digits of a CPF with valid check digits, with or without its dots and hyphen. */
export function cpfOf(text: string): string | undefined {
  if (!/^\s*(?:[0-9]{11}|[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2})\s*$/.test(text)) return undefined;
  const digits = readDigits(text);
  return isCpf(Uint8Array.from(digits, Number), 0) ? digits : undefined;
}

/** Whether the eleven digits from `start` on are a CPF. */
export function isCpf(digits: Uint8Array, start: number): boolean {
  const holds = checkDigitAt(digits, start, LENGTH - 2) && checkDigitAt(digits, start, LENGTH - 1);
  // Eleven equal digits pass the check, but are no issued CPF.
  return holds && digits.subarray(start, start + LENGTH).some(digit => digit !== digits[start]);
}

/** Whether the digit at this place is the check digit of those before it. */
function checkDigitAt(digits: Uint8Array, start: number, place: number): boolean {
  let sum = 0;
  for (let at = 0; at < place; at++) sum += (digits[start + at] ?? 0) * (place + 1 - at);
  return ((sum * 10) % 11) % 10 === digits[start + place];
}
