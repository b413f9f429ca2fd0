import { cpfOf } from '../cpf.ts';
import { isPhone } from '../phone.ts';
import type { Reading } from './columns.ts';

/** `wrong` refuses the record; what is `bad` is kept beside it, with a warning. Both say why. */
export type Read =
  | { readonly kind: 'value'; readonly value: string }
  | { readonly kind: 'wrong'; readonly message: string }
  | { readonly kind: 'bad'; readonly message: string };

const LONGEST_CODE = 200;
const LONGEST_EMAIL = 320;
const LATEST_TIME = Date.UTC(9999, 11, 31);

const value = (text: string): Read => ({ kind: 'value', value: text });
const wrong = (message: string): Read => ({ kind: 'wrong', message });
const bad = (message: string): Read => ({ kind: 'bad', message });

type Reader = (given: unknown, now: Date) => Read;

const readers: Readonly<Record<Reading, Reader>> = {
  text: given => (typeof given === 'string' ? value(given) : wrong('must be a string')),
  integer: readInteger,
  code: given => {
    if (typeof given !== 'string') return readInteger(given);
    const code = given.trim();
    return code.length <= LONGEST_CODE ? value(code) : wrong(`must be at most ${LONGEST_CODE} characters`);
  },
  time: given => {
    const read = readInteger(given);
    if (read.kind !== 'value') return read;
    const time = Number(read.value);
    if (time < 0 || time > LATEST_TIME) return wrong('must be milliseconds since 1970');
    return value(new Date(time).toISOString());
  },
  email: given => {
    if (typeof given !== 'string') return wrong('must be a string');
    const email = given.trim();
    const isOne = /^[^\s@]+@[^\s@]+$/.test(email) && email.length <= LONGEST_EMAIL;
    return isOne ? value(email) : bad('is not an e-mail address');
  },
  phone: given =>
    typeof given === 'string' && isPhone(given) ? value(given.trim()) : bad('is not a phone number'),
  cpf: given => {
    const cpf = typeof given === 'string' ? cpfOf(given) : undefined;
    return cpf === undefined ? bad('is not a valid CPF') : value(cpf);
  },
  date: (given, now) => {
    const isOne = typeof given === 'string' && isDayOfBirth(given, now);
    return isOne ? value(given) : bad('is not a date of birth (YYYY-MM-DD)');
  },
};

export function readValue(given: unknown, reading: Reading, now: Date): Read {
  return readers[reading](given, now);
}

/** Beyond 2^53 a JSON number is another number by now: two records would become one. */
function readInteger(given: unknown): Read {
  if (typeof given === 'number' && Number.isSafeInteger(given)) return value(String(given));
  const isDigits = typeof given === 'string' && /^\s*-?[0-9]{1,200}\s*$/.test(given);
  return isDigits ? value(String(BigInt(given.trim()))) : wrong('must be a whole number');
}

function isDayOfBirth(given: string, now: Date): boolean {
  const [, year] = /^([0-9]{4})-[0-9]{2}-[0-9]{2}$/.exec(given) ?? [];
  const day = new Date(`${given}T00:00:00Z`);
  // Another day comes back of one that there is not.
  const exists = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(given);
  return exists && Number(year) >= 1900 && day <= now;
}
