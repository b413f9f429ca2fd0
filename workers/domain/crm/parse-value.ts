import { type BrokenRule, broken } from '../../../platform/field-error.ts';
import { isJsonObject, type JsonObject } from '../../../platform/json-object.ts';
import { cpfOf, firstEmailOf, plainEmailOf } from '../../../text/contact.ts';
import { isLongerThan } from '../../../text/lines.ts';
import { readPhone } from '../../../text/phone.ts';
import { DAY_MS, instantOf, instantOfLocalTime, instantOfWritten } from '../time/instant.ts';
import type { FieldFormat } from './mapping.ts';

/** The time of a record's arrival, and the zone in which its times are read. */
export interface MappingTime {
  readonly now: Date;
  /** The time zone of the host, for times without an offset. */
  readonly timeZone: string;
}

/** `refused` refuses the record; an `unusable` value is stored beside the columns, with a warning, and so is one that `hasMore`. */
export type ReadResult =
  | { readonly kind: 'value'; readonly value: string; readonly warning?: string; readonly hasMore?: true }
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

const takeFirst = (text: string): ReadResult => ({
  kind: 'value',
  value: text,
  warning: 'held several; the first was taken',
  hasMore: true,
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
    const code = withoutFraction(raw.trim());
    return isLongerThan(MAX_CRM_CODE_LENGTH, code)
      ? refuse('max-length', {
          limit: MAX_CRM_CODE_LENGTH,
          message: `must be at most ${MAX_CRM_CODE_LENGTH} characters`,
        })
      : value(code);
  },
  time: (raw, { timeZone }) => {
    const read = isJsonObject(raw) ? parseTimeObject(raw) : parseTime(textOf(raw), timeZone);
    if (!read) return noteUnusable('is no milliseconds or seconds since 1970, and no date and time');
    const { time, warning } = read;
    return { kind: 'value', value: time.toISOString(), ...(warning === undefined ? {} : { warning }) };
  },
  email: raw => {
    const email = typeof raw === 'string' ? plainEmailOf(raw) : undefined;
    if (email !== undefined) return value(email);
    const first = typeof raw === 'string' ? firstEmailOf(raw) : undefined;
    return first === undefined ? noteUnusable('is not an e-mail address') : takeFirst(first);
  },
  phone: raw => {
    const { phone, hasMore } = readPhone(textOf(raw) ?? '');
    if (phone === '') return noteUnusable('is not a phone number');
    return hasMore ? takeFirst(phone) : value(phone);
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
    const day = dayOf(isJsonObject(raw) ? dateIn(raw) : (textOf(raw) ?? ''));
    const isOne = day !== undefined && isDayOfBirth(day, now);
    return isOne ? value(day) : noteUnusable('is not a date of birth (YYYY-MM-DD or DD/MM/YYYY)');
  },
};

/** A body of 1 MiB may be one value: as an e-mail it held a worker for minutes, as a phone for 0.2 s. */
const MAX_READ_LENGTH = 1_000;
const KEPT_FORMATS: ReadonlySet<FieldFormat> = new Set(['text', 'code', 'cep']);

export function parseValue(raw: unknown, reading: FieldFormat, at: MappingTime): ReadResult {
  const isTooLong = typeof raw === 'string' && !KEPT_FORMATS.has(reading) && raw.length > MAX_READ_LENGTH;
  return readers[reading](isTooLong ? '' : raw, at);
}

/** Drops the fraction that a spreadsheet adds to a whole number; 4.000 may be four thousand. */
function withoutFraction(text: string): string {
  return /^-?[0-9]{1,3}[.,]000$/.test(text) ? text : text.replace(/^(-?[0-9]{1,200})[.,]0{1,10}$/, '$1');
}

function readInteger(raw: unknown): ReadResult {
  const text = withoutFraction(textOf(raw)?.trim() ?? '');
  const isDigits = /^-?[0-9]{1,200}$/.test(text);
  return isDigits ? value(String(BigInt(text))) : refuse('integer');
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
  const [, spreadsheetDay] = /^\s*([1-9][0-9]{4})(?:[.,]0+)?\s*$/.exec(raw) ?? [];
  if (spreadsheetDay !== undefined)
    return new Date(wallOfDay(Number(spreadsheetDay))).toISOString().slice(0, 10);
  const [, basic] = /^\s*((?:19|20)[0-9]{6})(?:T[0-9]{4,6}Z?)?\s*$/i.exec(raw) ?? [];
  if (basic !== undefined) return basic.replace(/^(....)(..)(..)$/, '$1-$2-$3');
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

const COMPACT = /^[0-9]{14}$/;

interface ParsedTime {
  readonly time: Date;
  readonly warning?: string;
}

const LATEST_TIME = Date.UTC(9999, 11, 31);
/** Below this, a number is seconds: as milliseconds it would be before April 1970, as seconds it is before 2286. */
const FIRST_MILLISECONDS = 10_000_000_000;
/** A smaller number is not seconds either, but may be a day of a spreadsheet. */
const FIRST_SECONDS = 100_000_000;
/** Spreadsheets count days from here; those meant are of 1970 to 2099. */
const SPREADSHEET_EPOCH = Date.UTC(1899, 11, 30);
const SPREADSHEET_DAYS = [25_569, 73_051] as const;

const wallOfDay = (day: number) => SPREADSHEET_EPOCH + Math.round(day * DAY_MS);

/** PHP's DateTime as JSON is `{date, timezone_type, timezone}`. */
function dateIn({ date }: JsonObject): string {
  return typeof date === 'string' && date.length <= MAX_READ_LENGTH ? date.trim() : '';
}

/** Its zone is an offset, or a name. */
function parseTimeObject(sent: JsonObject): ParsedTime | undefined {
  const { timezone = '' } = sent;
  if (typeof timezone !== 'string') return undefined;
  if (/^(?:Z|[+-][0-9]{2}:?[0-9]{2})$/i.test(timezone)) return parseTime(`${dateIn(sent)}${timezone}`, 'UTC');
  const timeZone = canonicalZoneOf(timezone);
  return timeZone === undefined ? undefined : parseTime(dateIn(sent), timeZone);
}

/** The formats of zones are kept by name, so each zone may have one only. */
function canonicalZoneOf(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/**
 * Reads milliseconds or seconds since 1970, a day in eight digits (as seconds it would be in 1970), a time in fourteen (as
 * milliseconds it would be after 2600), the day of a spreadsheet, or a written time. Without an offset it is local to the time
 * zone.
 */
function parseTime(sent: string | undefined, timeZone: string): ParsedTime | undefined {
  const text = (sent?.trim() ?? '').replace(/^\/Date\(([0-9]{1,14})(?:[+-][0-9]{4})?\)\/$/, '$1');
  const [, year = '', month = '', dayOfMonth = ''] =
    /^((?:19|20)[0-9]{2})([01][0-9])([0-3][0-9])$/.exec(text) ?? [];
  const day = instantOf(`${year}-${month}-${dayOfMonth}`, timeZone);
  if (day && isInRange(day.getTime())) return { time: day };
  if (!/^[0-9]+([.,][0-9]+)?$/.test(text) || COMPACT.test(text)) {
    const time = instantOfWritten(text, timeZone);
    if (!time || !isInRange(time.getTime())) return undefined;
    return /^[0-9]{2}[-/.]/.test(text) ? { time, warning: 'was taken as day, month and year' } : { time };
  }
  const number = Number(text.replace(',', '.'));
  if (number < FIRST_SECONDS) {
    const [first, end] = SPREADSHEET_DAYS;
    if (number < first || number >= end) return undefined;
    const time = new Date(instantOfLocalTime(wallOfDay(number), timeZone));
    return { time, warning: 'was taken as the day of a spreadsheet' };
  }
  const isSeconds = number < FIRST_MILLISECONDS;
  const time = Math.round(isSeconds ? number * 1_000 : number);
  if (!isInRange(time)) return undefined;
  return { time: new Date(time), ...(isSeconds ? { warning: 'was taken as seconds since 1970' } : {}) };
}

function isInRange(time: number): boolean {
  return time >= 0 && time <= LATEST_TIME;
}
