import { format as formatNumber, getFormatFromId, isDateFormat } from 'numfmt';

/*
 * A number as its cell shows it to a Brazilian reader. A date has no type of its own: it is a number of days whose format is that
 * of a date. One that has day, month and year in figures is written 31/12/2027, whatever their order is in the format, since a
 * program writes them in that of its country.
 */

interface NumberStyle {
  readonly formatId: number;
  readonly format: string | undefined;
}

const LOCALE = 'pt-BR';
/** Days between the first day of old workbooks of the Mac and that of others. */
const DAYS_TO_1904 = 1_462;
/** A number has so many exact digits. */
const MAX_DIGITS = 15;
/** A text, a sign and an amount of room of a format, which are no letters of it. */
const LITERAL = /"[^"]*"|\\.|_./g;

const plainNumber = new Intl.NumberFormat(LOCALE, {
  useGrouping: false,
  maximumSignificantDigits: MAX_DIGITS,
});

export function shownNumber(value: number, style: NumberStyle | undefined, is1904: boolean): string {
  const format = formatOf(style);
  // Programs show large numbers with an exponent, which a phone or a document in a cell does not mean.
  if (format === '' || format === '@' || /^general$/i.test(format)) return plainNumber.format(value);
  try {
    const isDate = isDateFormat(format);
    const shown = formatNumber(
      isDate ? dateFormatOf(format) : format,
      isDate && is1904 ? value + DAYS_TO_1904 : value,
      {
        locale: LOCALE,
      },
    );
    return shown.replace(/\s+/g, ' ').trim();
  } catch {
    return plainNumber.format(value);
  }
}

/** In the words and signs of the reader's country, with a blank where the format fills the cell. */
function formatOf(style: NumberStyle | undefined): string {
  const { formatId = 0, format } = style ?? {};
  const known = format ?? getFormatFromId(formatId, LOCALE);
  return known
    .replace(/\[\$([^\]-]*)(?:-[^\]]*)?\]/g, (_, sign: string) => (sign === '' ? '' : `"${sign}"`))
    .replace(/("[^"]*"|\\.)|\*./g, (_, literal: string | undefined) => literal ?? ' ');
}

function dateFormatOf(format: string): string {
  const [first = ''] = format.split(';');
  const letters = first.replace(LITERAL, '').toLowerCase();
  // Behind the hour, `m` is a minute.
  const [date = ''] = letters.split('h');
  const isInFigures = /(?<!d)dd?(?!d)/.test(date) && /(?<!m)mm?(?!m)/.test(date) && date.includes('y');
  if (!isInFigures) return format;
  if (!letters.includes('h')) return 'dd/mm/yyyy';
  return letters.includes('s') ? 'dd/mm/yyyy hh:mm:ss' : 'dd/mm/yyyy hh:mm';
}

/** An instant as ISO 8601 has it, in a cell of dates. */
export function shownDate(iso: string): string {
  const [, year, month, day, hour = '00', minute = '00'] =
    /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d))?/.exec(iso) ?? [];
  if (year === undefined) return iso;
  const time = hour === '00' && minute === '00' ? '' : ` ${hour}:${minute}`;
  return `${day}/${month}/${year}${time}`;
}
