import { BANK_LENGTH, isBankLine, isUtilityLine, UTILITY_LENGTH } from '../../../text/check-digits.ts';
import { isDigit } from './char-kind.ts';

export interface FoundBoleto {
  start: number;
  end: number;
  digits: string;
}

export interface NumberRun {
  boletos: FoundBoleto[];
  /** The length is that of a boleto, but the check digits do not match. */
  isSuspect: boolean;
}

const NO_BOLETO: NumberRun = { boletos: [], isSuspect: false };
const NO_BREAK_SPACE = 0xa0;

function isSeparator(code: number): boolean {
  return code === 32 || code === 45 || code === 46 || code === NO_BREAK_SPACE;
}

/** The end of the digits that start here, including single separators between them. */
export function findNumberEnd(text: string, start: number, limit: number): number {
  let at = start;
  while (at < limit) {
    if (isDigit(text.charCodeAt(at))) at++;
    else if (isSeparator(text.charCodeAt(at)) && at + 1 < limit && isDigit(text.charCodeAt(at + 1))) at += 2;
    else break;
  }
  return at;
}

/** The digits of a number, and how they are grouped. */
class GroupedDigits {
  readonly count: number;
  readonly #values: Uint8Array;
  readonly #places: Int32Array;

  constructor(text: string, start: number, end: number) {
    this.#values = new Uint8Array(end - start);
    this.#places = new Int32Array(end - start);
    let count = 0;
    for (let at = start; at < end; at++) {
      const code = text.charCodeAt(at);
      if (!isDigit(code)) continue;
      this.#values[count] = code - 48;
      this.#places[count++] = at;
    }
    this.count = count;
  }

  /**
   * Whether a group ends before this digit. A boleto starts and ends at such an edge, so an adjacent date is no
   * problem.
   */
  isEdge(digit: number): boolean {
    if (digit === 0 || digit === this.count) return true;
    return digit < this.count && this.#placeOf(digit) !== this.#placeOf(digit - 1) + 1;
  }

  boletoFrom(digit: number): FoundBoleto | undefined {
    if (this.isEdge(digit + UTILITY_LENGTH) && isUtilityLine(this.#values, digit)) {
      return this.#boletoAt(digit, UTILITY_LENGTH);
    }
    const isBank = this.isEdge(digit + BANK_LENGTH) && isBankLine(this.#values, digit);
    return isBank ? this.#boletoAt(digit, BANK_LENGTH) : undefined;
  }

  #placeOf(digit: number): number {
    return this.#places[digit] ?? 0;
  }

  #boletoAt(digit: number, length: number): FoundBoleto {
    const digits = this.#values.subarray(digit, digit + length).join('');
    return { start: this.#placeOf(digit), end: this.#placeOf(digit + length - 1) + 1, digits };
  }
}

export function boletosIn(text: string, start: number, end: number): NumberRun {
  if (end - start < BANK_LENGTH) return NO_BOLETO;
  const run = new GroupedDigits(text, start, end);
  const boletos: FoundBoleto[] = [];
  for (let digit = 0; digit + BANK_LENGTH <= run.count; digit++) {
    const found = run.isEdge(digit) ? run.boletoFrom(digit) : undefined;
    if (!found) continue;
    boletos.push(found);
    digit += found.digits.length - 1;
  }
  const isSuspect = boletos.length === 0 && run.count >= BANK_LENGTH && run.count <= UTILITY_LENGTH;
  return { boletos, isSuspect };
}
