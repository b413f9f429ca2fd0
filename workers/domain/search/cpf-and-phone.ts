import { cpfOf, readDigits } from '../../../text/contact.ts';
import { listPhoneVariants, MAX_PHONE_DIGITS } from '../../../text/phone.ts';

export interface SearchQuery {
  readonly query: string;
  readonly cpf: string | undefined;
  /** Digits of the query, if they may be a phone number. */
  readonly digits: string | undefined;
  readonly endings: string[];
}

/** Fewer digits match too many phones. */
export const MIN_PHONE_DIGITS = 4;

export function cpfAndPhoneIn(input: string | number): SearchQuery {
  const query = String(input);
  const digits = readDigits(query);
  const isPhone = digits.length >= MIN_PHONE_DIGITS && digits.length <= MAX_PHONE_DIGITS;
  return {
    query,
    cpf: cpfOf(/^[0-9 ./-]+$/.test(query) ? digits : query),
    digits: isPhone ? digits : undefined,
    endings: isPhone ? [...new Set([digits, ...listPhoneVariants(digits)])] : [],
  };
}
