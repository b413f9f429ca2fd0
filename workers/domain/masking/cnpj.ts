const LENGTH = 14;

/** Whether these fourteen characters, digits or since 2026 also capital letters, are a CNPJ with valid check digits. */
export function isCnpj(characters: string): boolean {
  if (characters.length !== LENGTH) return false;
  return isCnpjOf(
    Uint8Array.from(characters, character => character.charCodeAt(0) - 48),
    0,
  );
}

/** The same for the values of the characters from `start` on. */
export function isCnpjOf(values: Uint8Array, start: number): boolean {
  const holds = checkDigitAt(values, start, LENGTH - 2) && checkDigitAt(values, start, LENGTH - 1);
  return holds && values.subarray(start, start + LENGTH).some(value => value !== values[start]);
}

/** Whether the value at this place is the check digit of those before it: weights 2 to 9, repeated, from right to left. */
function checkDigitAt(values: Uint8Array, start: number, place: number): boolean {
  let sum = 0;
  for (let at = place - 1; at >= 0; at--) sum += (values[start + at] ?? 0) * (2 + ((place - 1 - at) % 8));
  return (sum % 11 < 2 ? 0 : 11 - (sum % 11)) === values[start + place];
}
