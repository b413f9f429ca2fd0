import { findBareUrlEnd } from '../bare-url.ts';
import { findEmails } from '../find-emails.ts';
import { findNumbers } from '../find-numbers.ts';
import type { Figure } from './figure.ts';

/** Endings of addresses that are written without `https://`. */
const KNOWN_ENDING = /\.(?:com|net|org|edu|gov|br|pt|io|me|info|app|dev|online|example|test)$/;
const HOST = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/;
/** The ending of any address; it counts if a path follows, or several parts precede it. */
const ANY_ENDING = /\.[a-z]{2,24}$/;
const RUN = /[^\s<>()[\]{}"'|,;*`]+/g;
const PREFIX = /^(?:https?:\/\/)?(?:www\.)?/;
const FREE_CALL = /0[358]00[ .-]?[0-9]{3}[ .-]?[0-9]{4}(?![0-9])/g;
const DATE =
  /(?<![0-9])(?:[0-9]{1,2}([.-])[0-9]{1,2}\1(?:[0-9]{4}|[0-9]{2})|[0-9]{4}([./-])[0-9]{1,2}\2[0-9]{1,2})(?![0-9])/g;
const MAY_BE_EMAIL = /@|\b(?:arroba|at)\b/;
const YEARS = /^(?:19|20)[0-9]{2}[^0-9]*(?:19|20)[0-9]{2}$/;

/** Finds e-mail addresses, and then web addresses outside them. */
export function findAddresses(folded: string): Figure[] {
  const emails = MAY_BE_EMAIL.test(folded) ? findEmails(folded) : [];
  const figures = emails.map(({ start, end, key }) =>
    figureOf('email', start, end, { type: 'email', text: key }),
  );
  const rest = blankOut(folded, figures);
  if (!rest.includes('.')) return figures;
  const urls = findUrls(rest, folded);
  // A mail address within a URL is a part of the URL.
  const isInUrl = ({ start }: Figure) => urls.some(url => url.start <= start && start < url.end);
  return [...figures.filter(figure => !isInUrl(figure)), ...urls];
}

/** `text`: the folded text without mail addresses. */
function findUrls(text: string, folded: string): Figure[] {
  const found: Figure[] = [];
  let foundUntil = 0;
  for (const { 0: run, index } of text.matchAll(RUN)) {
    if (!run.includes('.') || run.length < 4) continue;
    const opening = run.search(/https?:\/\/|www\./);
    const start = index + Math.max(opening, 0);
    // An address may span runs: each run of a repeated `https://a.a/(` would otherwise be read to its end again.
    if (start < foundUntil) continue;
    const end = opening >= 0 ? findBareUrlEnd(text, start) : findHostEnd(run, index);
    if (end <= start) continue;
    found.push(figureOf('url', start, end, { type: 'url', text: urlKeyOf(folded.slice(start, end)) }));
    foundUntil = end;
  }
  return found;
}

/** The end of an address like `site.br/pagina`; `start` if there is none. */
function findHostEnd(run: string, start: number): number {
  const shown = withoutClosing(run);
  const slash = shown.indexOf('/');
  const host = slash < 0 ? shown : shown.slice(0, slash);
  const isLikely = slash > 0 || host.split('.', 4).length > 2;
  const ending = isLikely ? ANY_ENDING : KNOWN_ENDING;
  return ending.test(host) && HOST.test(host) ? start + shown.length : start;
}

function withoutClosing(run: string): string {
  let end = run.length;
  while (end > 0 && '.:!?/'.includes(run.charAt(end - 1))) end -= 1;
  return run.slice(0, end);
}

/** The key is equal for all spellings of an address. */
function urlKeyOf(url: string): string {
  return withoutClosing(url.replace(PREFIX, ''));
}

/** Finds phone numbers, dates with dots or hyphens, and personal numbers: digits that are not read as one number. */
export function findDigitCodes(folded: string): Figure[] {
  const dates = Array.from(folded.matchAll(DATE)).flatMap(({ 0: text, index }) => {
    const [first = '', second = '', third = ''] = text.split(/[./-]/);
    const isYearFirst = first.length === 4;
    const [year, day] = isYearFirst ? [first, third] : [third, first];
    const fullYear = Number(year.length === 2 ? `20${year}` : year);
    const meaning = { type: 'date', year: fullYear, month: Number(second), day: Number(day) } as const;
    const exists = meaning.month >= 1 && meaning.month <= 12 && meaning.day >= 1 && meaning.day <= 31;
    return exists ? [figureOf('date', index, index + text.length, meaning)] : [];
  });
  const free = Array.from(folded.matchAll(FREE_CALL), ({ 0: text, index }) =>
    figureOf('phone', index, index + text.length, { type: 'phone', digits: text.replaceAll(/[^0-9]/g, '') }),
  ).filter(({ start, end }) => !dates.some(date => date.start < end && start < date.end));
  const known = [...dates, ...free];
  return [...known, ...findPhones(blankOut(folded, known))];
}

function findPhones(text: string): Figure[] {
  return findNumbers(text).flatMap(({ kind, key, start, end }) => {
    if (kind === 'TELEFONE')
      return YEARS.test(text.slice(start, end))
        ? []
        : [figureOf('phone', start, end, { type: 'phone', digits: key })];
    return [figureOf('number', start, end, { type: 'code', text: key })];
  });
}

/** Replaces these figures by signs, so that no other figure is found there. */
export function blankOut(text: string, figures: readonly Figure[]): string {
  let blanked = '';
  let done = 0;
  for (const { start, end } of figures.toSorted((a, b) => a.start - b.start)) {
    if (end <= done) continue;
    const from = Math.max(start, done);
    blanked += text.slice(done, from) + '#'.repeat(end - from);
    done = end;
  }
  return blanked + text.slice(done);
}

function figureOf(
  kind: Figure['kind'],
  start: number,
  end: number,
  meaning: Figure['meanings'][number],
): Figure {
  return { kind, start, end, meanings: [meaning], isClaim: true };
}
