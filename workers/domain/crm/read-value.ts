import { cpfOf } from '../cpf.ts';
import { isEmail } from '../email.ts';
import { isLongerThan } from '../is-longer-than.ts';
import { isPhone } from '../phone.ts';
import type { FieldFormat } from './columns.ts';
import { readTime } from './read-time.ts';

/** The arrival of the record. */
export interface ArrivedAt {
  readonly now: Date;
  /** The time zone of the host, for times without an offset. */
  readonly timeZone: string;
}

/** `wrong` refuses the record; a `bad` value is stored beside the columns, with a warning. Both give a message. */
export type ReadResult =
  | { readonly kind: 'value'; readonly value: string; readonly warning?: string }
  | { readonly kind: 'wrong'; readonly message: string }
  | { readonly kind: 'bad'; readonly message: string };

const MAX_CODE_LENGTH = 200;
const CEP_DIGITS = 8;
const CPF_DIGITS = 11;

const value = (text: string): ReadResult => ({ kind: 'value', value: text });
const wrong = (message: string): ReadResult => ({ kind: 'wrong', message });
const bad = (message: string): ReadResult => ({ kind: 'bad', message });
const restoreZeros = (text: string): ReadResult => ({
  kind: 'value',
  value: text,
  warning: 'came as a number without its leading zeros; they were put back',
});

type Reader = (given: unknown, at: ArrivedAt) => ReadResult;

const readers: Readonly<Record<FieldFormat, Reader>> = {
  text: given => {
    const text = textOf(given);
    return text === undefined ? wrong('must be a string or a number') : value(text);
  },
  integer: readInteger,
  code: given => {
    if (typeof given !== 'string') return readInteger(given);
    const code = given.trim();
    return isLongerThan(MAX_CODE_LENGTH, code)
      ? wrong(`must be at most ${MAX_CODE_LENGTH} characters`)
      : value(code);
  },
  time: (given, { timeZone }) => {
    const read = readTime(textOf(given), timeZone);
    if (!read) return wrong('must be milliseconds or seconds since 1970, or a date and time in ISO 8601');
    const { time, isSeconds } = read;
    if (!isSeconds) return value(time.toISOString());
    return { kind: 'value', value: time.toISOString(), warning: 'was taken as seconds since 1970' };
  },
  email: given =>
    typeof given === 'string' && isEmail(given) ? value(given.trim()) : bad('is not an e-mail address'),
  phone: given => {
    const phone = textOf(given);
    return phone !== undefined && isPhone(phone) ? value(phone.trim()) : bad('is not a phone number');
  },
  cpf: given => {
    const cpf = cpfOf(withZeros(given, CPF_DIGITS) ?? '');
    if (cpf === undefined) return bad('is not a valid CPF');
    return isShort(given, CPF_DIGITS) ? restoreZeros(cpf) : value(cpf);
  },
  cep: (given, at) => {
    const cep = withZeros(given, CEP_DIGITS);
    // No CEP begins with two zeros, so a shorter number is no CEP.
    return cep !== undefined && isShort(given, CEP_DIGITS) && /^0[1-9]/.test(cep)
      ? restoreZeros(cep)
      : readers.text(given, at);
  },
  date: (given, { now }) => {
    const isOne = typeof given === 'string' && isDayOfBirth(given, now);
    return isOne ? value(given) : bad('is not a date of birth (YYYY-MM-DD)');
  },
};

export function readValue(given: unknown, reading: FieldFormat, at: ArrivedAt): ReadResult {
  return readers[reading](given, at);
}

function readInteger(given: unknown): ReadResult {
  const text = textOf(given);
  const isDigits = text !== undefined && /^\s*-?[0-9]{1,200}\s*$/.test(text);
  return isDigits ? value(String(BigInt(text.trim()))) : wrong('must be a whole number');
}

/** Integers beyond 2^53 arrive as strings; a number here is exact. */
function textOf(given: unknown): string | undefined {
  if (typeof given === 'string') return given;
  if (typeof given !== 'number' || !Number.isFinite(given)) return undefined;
  return Number.isInteger(given) ? BigInt(given).toString() : String(given);
}

function withZeros(given: unknown, digits: number): string | undefined {
  return isShort(given, digits) ? String(given).padStart(digits, '0') : textOf(given);
}

function isShort(given: unknown, digits: number): boolean {
  return typeof given === 'number' && Number.isInteger(given) && given > 0 && given < 10 ** (digits - 1);
}

function isDayOfBirth(given: string, now: Date): boolean {
  const [, year] = /^([0-9]{4})-[0-9]{2}-[0-9]{2}$/.exec(given) ?? [];
  const day = new Date(`${given}T00:00:00Z`);
  // `Date` moves an impossible day to another one.
  const exists = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(given);
  return exists && Number(year) >= 1900 && day <= now;
}
