import { cpfOf } from './cpf.ts';
import { digitsOf, phoneVariants } from './phone.ts';

/** What somebody looks for, as the searches take it. */
export interface SearchQuery {
  readonly query: string;
  readonly cpf: string | undefined;
  /** Where they may be those of a phone. */
  readonly digits: string | undefined;
  readonly endings: string[];
}

/** With fewer, half of all phones would be meant. */
export const FEWEST_PHONE_DIGITS = 4;
const MOST_PHONE_DIGITS = 18;

export function searchQueryOf(given: string | number): SearchQuery {
  const query = String(given);
  const digits = digitsOf(query);
  const isPhone = digits.length >= FEWEST_PHONE_DIGITS && digits.length <= MOST_PHONE_DIGITS;
  return {
    query,
    cpf: cpfOf(/^[0-9 ./-]+$/.test(query) ? digits : query),
    digits: isPhone ? digits : undefined,
    endings: isPhone ? [...new Set([digits, ...phoneVariants(digits)])] : [],
  };
}
