import { type BrokenRule, broken } from '../../../platform/field-error.ts';
import { cpfOf, plainEmailOf } from '../../../text/contact.ts';
import { isLongerThan } from '../../../text/lines.ts';
import { isPhone, plainPhoneOf } from '../../../text/phone.ts';
import { DAY_MS, instantOf, instantOfWritten } from '../time/instant.ts';
import type { FieldFormat } from './mapping.ts';

/** The time of a record's arrival, and the zone in which its times are read. */
export interface MappingTime {
  readonly now: Date;
  /** The time zone of the host, for times without an offset. */
  readonly timeZone: string;
}

/** `refused` refuses the record; an `unusable` value is stored beside the columns, with a warning. */
export type ReadResult =
  | { readonly kind: 'value'; readonly value: string; readonly warning?: string }
  | { readonly kind: 'refused'; readonly broken: BrokenRule }
  | { readonly kind: 'unusable'; readonly message: string };

const MAX_CRM_CODE_LENGTH = 200;
const CEP_DIGITS = 8;
const CPF_DIGITS = 11;

const value = (text: string): ReadResult => ({ kind: 'value', value: text });
const refuse = (...of: Parameters<typeof broken>): ReadResult => ({ kind: 'refused', broken: broken(...of) });
const noteUnusable = (message: string): ReadResult => ({ kind: 'unusable', message });
const restoreZeros = (text: string): ReadResult => ({
  kind: 'value',
  value: text,
  warning: 'came as a number without its leading zeros; they were put back',
});

type Reader = (raw: unknown, at: MappingTime) => ReadResult;

const readers: Readonly<Record<FieldFormat, Reader>> = {
  text: raw => {
    const text = textOf(raw);
    return text === undefined
      ? refuse('type', { values: ['string', 'number'], message: 'must be a string or a number' })
      : value(text);
  },
  integer: readInteger,
  code: raw => {
    if (typeof raw !== 'string') return readInteger(raw);
    const code = raw.trim();
    return isLongerThan(MAX_CRM_CODE_LENGTH, code)
      ? refuse('max-length', {
          limit: MAX_CRM_CODE_LENGTH,
          message: `must be at most ${MAX_CRM_CODE_LENGTH} characters`,
        })
      : value(code);
  },
  time: (raw, { timeZone }) => {
    const read = parseTime(textOf(raw), timeZone);
    if (!read) return noteUnusable('is no milliseconds or seconds since 1970, and no date and time');
    const { time, warning } = read;
    return { kind: 'value', value: time.toISOString(), ...(warning === undefined ? {} : { warning }) };
  },
  email: raw => {
    const email = typeof raw === 'string' ? plainEmailOf(raw) : undefined;
    return email === undefined ? noteUnusable('is not an e-mail address') : value(email);
  },
  phone: raw => {
    const phone = plainPhoneOf(textOf(raw) ?? '');
    return isPhone(phone) ? value(phone) : noteUnusable('is not a phone number');
  },
  cpf: sent => {
    const raw = unquotedCpfOf(sent);
    const cpf = cpfOf(padWithZeros(raw, CPF_DIGITS) ?? '');
    if (cpf === undefined) return noteUnusable('is not a valid CPF');
    return isShort(raw, CPF_DIGITS) ? restoreZeros(cpf) : value(cpf);
  },
  cep: (raw, at) => {
    const cep = padWithZeros(raw, CEP_DIGITS);
    // No CEP begins with two zeros, so a shorter number is no CEP.
    return cep !== undefined && isShort(raw, CEP_DIGITS) && /^0[1-9]/.test(cep)
      ? restoreZeros(cep)
      : readers.text(raw, at);
  },
  date: (raw, { now }) => {
    const day = dayOf(textOf(raw) ?? '');
    const isOne = day !== undefined && isDayOfBirth(day, now);
    return isOne ? value(day) : noteUnusable('is not a date of birth (YYYY-MM-DD or DD/MM/YYYY)');
  },
};

/** A body of 1 MiB may be one value: as an e-mail it held a worker for minutes, as a phone for 0.2 s. */
const MAX_READ_LENGTH = 1_000;
/** Formats that keep a text as it is. */
const KEPT_FORMATS: ReadonlySet<FieldFormat> = new Set(['text', 'code', 'cep']);

export function parseValue(raw: unknown, reading: FieldFormat, at: MappingTime): ReadResult {
  const isTooLong = typeof raw === 'string' && !KEPT_FORMATS.has(reading) && raw.length > MAX_READ_LENGTH;
  return readers[reading](isTooLong ? '' : raw, at);
}

function readInteger(raw: unknown): ReadResult {
  const text = textOf(raw);
  const isDigits = text !== undefined && /^\s*-?[0-9]{1,200}\s*$/.test(text);
  return isDigits ? value(String(BigInt(text.trim()))) : refuse('integer');
}

/** Integers beyond 2^53 arrive as strings, so a number here is exact. */
function textOf(raw: unknown): string | undefined {
  if (typeof raw === 'string') return raw;
  if (typeof raw !== 'number' || !Number.isFinite(raw)) return undefined;
  return Number.isInteger(raw) ? BigInt(raw).toString() : String(raw);
}

function padWithZeros(raw: unknown, digits: number): string | undefined {
  return isShort(raw, digits) ? String(raw).padStart(digits, '0') : textOf(raw);
}

/** Some programs write a number that lost its zeros, or has a fraction, as a text. */
function unquotedCpfOf(sent: unknown): unknown {
  const [, digits] = typeof sent === 'string' ? (/^\s*([0-9]{9,11})(?:\.0+)?\s*$/.exec(sent) ?? []) : [];
  return digits !== undefined && digits.length < CPF_DIGITS ? Number(digits) : (digits ?? sent);
}

function isShort(raw: unknown, digits: number): boolean {
  return typeof raw === 'number' && Number.isInteger(raw) && raw > 0 && raw < 10 ** (digits - 1);
}

/**
 * Reads a day as YYYY-MM-DD, also if a time follows it, if it is written as in Brazil, or as the milliseconds of its midnight,
 * as in HubSpot.
 */
function dayOf(raw: string): string | undefined {
  const midnight = /^\s*-?[0-9]{8,14}\s*$/.test(raw) ? Number(raw) : 0;
  if (midnight !== 0 && midnight % DAY_MS === 0) return new Date(midnight).toISOString().slice(0, 10);
  const [, written, day = '', month = '', year = ''] =
    /^\s*(?:([0-9]{4}-[0-9]{2}-[0-9]{2})|([0-9]{2})[/.-]([0-9]{2})[/.-]([0-9]{4}))(?:[T ][0-9:.]{4,15} ?(?:Z|[+-][0-9:]{2,5})?)?\s*$/i.exec(
      raw,
    ) ?? [];
  return written ?? (year === '' ? undefined : `${year}-${month}-${day}`);
}

function isDayOfBirth(raw: string, now: Date): boolean {
  const [, year] = /^([0-9]{4})-[0-9]{2}-[0-9]{2}$/.exec(raw) ?? [];
  const day = instantOf(raw, 'UTC');
  return day !== undefined && Number(year) >= 1900 && day <= now;
}

interface ParsedTime {
  readonly time: Date;
  readonly warning?: string;
}

const LATEST_TIME = Date.UTC(9999, 11, 31);
/** Below this, a number is seconds: as milliseconds it would be before April 1970, as seconds it is before 2286. */
const FIRST_MILLISECONDS = 10_000_000_000;
/** A smaller number is not seconds either, but the day of a spreadsheet. */
const FIRST_SECONDS = 100_000_000;

/**
 * Reads milliseconds or seconds since 1970, a day in eight digits (as seconds it would be in 1970), or a written time. Without
 * an offset it is local to the time zone.
 */
function parseTime(sent: string | undefined, timeZone: string): ParsedTime | undefined {
  const text = (sent?.trim() ?? '').replace(/^\/Date\(([0-9]{1,14})(?:[+-][0-9]{4})?\)\/$/, '$1');
  const [, year = '', month = '', dayOfMonth = ''] =
    /^((?:19|20)[0-9]{2})([01][0-9])([0-3][0-9])$/.exec(text) ?? [];
  const day = instantOf(`${year}-${month}-${dayOfMonth}`, timeZone);
  if (day && isInRange(day.getTime())) return { time: day };
  if (!/^[0-9]+(\.[0-9]+)?$/.test(text)) {
    const time = instantOfWritten(text, timeZone);
    if (!time || !isInRange(time.getTime())) return undefined;
    return /^[0-9]{2}[-/.]/.test(text) ? { time, warning: 'was taken as day, month and year' } : { time };
  }
  const number = Number(text);
  if (number < FIRST_SECONDS) return undefined;
  const isSeconds = number < FIRST_MILLISECONDS;
  const time = Math.round(isSeconds ? number * 1_000 : number);
  if (!isInRange(time)) return undefined;
  return { time: new Date(time), ...(isSeconds ? { warning: 'was taken as seconds since 1970' } : {}) };
}

function isInRange(time: number): boolean {
  return time >= 0 && time <= LATEST_TIME;
}
