/** The marks of numbers, as people type them in this language. */
export const decimalMark = (0.5).toLocaleString('pt-BR').charAt(1);
export const groupMark = decimalMark === ',' ? '.' : ',';

export function formatMoment(at: string | Date): string {
  return new Date(at).toLocaleString('pt-BR', { dateStyle: 'short', timeStyle: 'short' });
}

export function formatDay(at: string): string {
  return new Date(at).toLocaleDateString('pt-BR', { weekday: 'long', day: 'numeric', month: 'long' });
}

export function formatClock(at: string): string {
  return new Date(at).toLocaleTimeString('pt-BR', { hour: '2-digit', minute: '2-digit' });
}

/** Gives the time if it is today, and the date of an earlier day. */
export function formatShortly(at: string): string {
  const date = new Date(at);
  if (date.toDateString() === new Date().toDateString()) return formatClock(at);
  return date.toLocaleDateString('pt-BR', { day: '2-digit', month: '2-digit' });
}

export function formatCount(count: number, one: string, many: string): string {
  return `${count.toLocaleString('pt-BR')} ${count === 1 ? one : many}`;
}

const MEGABYTE = 1_048_576;

export function formatSize(bytes: number): string {
  const [size, unit] = bytes < MEGABYTE ? [Math.ceil(bytes / 1_024), 'KB'] : [bytes / MEGABYTE, 'MB'];
  return `${size.toLocaleString('pt-BR', { maximumFractionDigits: 1 })} ${unit}`;
}

const brazilianPhone = /^\+?55(\d{2})(\d{4,5})(\d{4})$/;

/** Writes a WhatsApp number as people do; another text stays. */
export const formatPhone = (phone: string): string => phone.replace(brazilianPhone, '+55 $1 $2-$3');

export function formatReais(value: number): string {
  return value.toLocaleString('pt-BR', { style: 'currency', currency: 'BRL' });
}

/**
 * Defuses a text that begins like a formula, which a spreadsheet would run; some read full-width signs and white space before it
 * alike.
 */
export function writeCsvCell(value: string | number): string {
  if (typeof value === 'number') return String(value).replace('.', decimalMark);
  const text = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/.test(value) ? `'${value}` : value;
  return `"${text.replaceAll('"', '""')}"`;
}

/** The name, with the e-mail address where somebody else of these people has a name that looks the same. */
export function nameApart(
  { name, email }: { readonly name: string; readonly email: string },
  people: readonly { readonly name: string }[],
): string {
  const looksOf = (text: string) => text.split(/\s+/).join(' ').toLowerCase();
  const isShared = people.filter(each => looksOf(each.name) === looksOf(name)).length > 1;
  return isShared && email !== '' ? `${name} (${email})` : name;
}
