import { type IdentifierKind, identifierKinds } from '../../../text/identifier.ts';

/** Stands for a value in a text for a model. */
export interface MaskToken {
  readonly kind: IdentifierKind;
  readonly number: number;
}

interface FoundToken extends MaskToken {
  readonly start: number;
  readonly end: number;
}

/*
 * Matches tokens as we write them, `[CPF_1]`, and as models spell them: in lowercase, with a blank or a hyphen, escaped for
 * Markdown or for a URL, and without the brackets. A person's text that can be read as one becomes a LITERAL, so that it is
 * never taken for a token. A token without brackets may also follow another that ends with an escaped bracket.
 */
const TOKEN =
  /\\\[(\p{L}{3,8})\\?[_ -]?([1-9][0-9]{0,5})\\\]|(?:\[|%5B)(\p{L}{3,8})\\?[_ -]?([1-9][0-9]{0,5})(?:\]|%5D)|(?:(?<![\p{L}\p{N}_])|(?<=%5D))(\p{L}{3,8})\\?_([1-9][0-9]{0,5})(?![\p{L}\p{N}_])/giu;
const kinds: ReadonlySet<string> = new Set(identifierKinds);

export function formatToken({ kind, number }: MaskToken): string {
  return `[${kind}_${number}]`;
}

/** Finds possible tokens in a folded text, known or not, in order. */
export function maskTokensIn(text: string): FoundToken[] {
  return Array.from(text.matchAll(TOKEN)).flatMap(
    ({ 0: written, 1: a, 2: b, 3: c, 4: d, 5: e, 6: f, index }) => {
      const kind = (a ?? c ?? e ?? '').toUpperCase().replace('Ã', 'A');
      if (!kinds.has(kind)) return [];
      const number = Number(b ?? d ?? f);
      return [{ kind: kind as IdentifierKind, number, start: index, end: index + written.length }];
    },
  );
}

/*
 * A web address carries its content to its server. So a stranger's text may have the model write an address with a token: a
 * value is put back only in an address that the host or the end user gave.
 */

/** Limits the address before a token in it; a longer text may be one. */
export const MAX_ADDRESS_LENGTH = 1_024;
/** No client takes these into a bare address; some take any other sign, including brackets and quotes. */
const STOP = /[\s<>]/;
const LINE_END = /[\r\n]/;
const NOT_IN_BRACKETS = /[\r\n<>]/;
const OPENING = /\\?\/\\?\/|www\./i;
/** A mail address with a query may have a subject and a text. */
const MAIL = /mailto:/i;
const SCHEME = /[a-z][a-z\d+.-]{0,15}:$/i;
const BARE_HOST =
  /(?<![\p{L}\p{N}@.-])[\p{L}\p{N}-]+(?:[.\u3002\uff0e\uff61][\p{L}\p{N}-]+)+(?::[0-9]+)?[/?#]/u;
/** Matches an address with a whole host, because a token may be a part of the host. */
const WHOLE_HOST = /^(?:(?:[a-z][a-z\d+.-]{0,15}:)?\/\/)?(?![a-z][a-z\d+.-]{0,15}:\/)[^/?#]+[/?#]/i;

/** Returns the web address around a place of a text, up to the place; undefined if there is none. */
export function addressBefore(text: string, place: number): string | undefined {
  const run = runBefore(text, place, STOP);
  if (run.length === MAX_ADDRESS_LENGTH) return run;
  // Between angle brackets, Markdown takes blanks into an address.
  const inBrackets = runBefore(text, place, NOT_IN_BRACKETS);
  const opens = text.charAt(place - inBrackets.length - 1) === '<';
  // The outer address counts, because an address may contain another.
  return (
    (opens ? addressIn(inBrackets) : undefined) ?? addressIn(targetBefore(text, place)) ?? addressIn(run)
  );
}

/** Returns the target of the link whose round brackets are around the place. Our own parser allows blanks in it. */
function targetBefore(text: string, place: number): string {
  const line = runBefore(text, place, LINE_END);
  /** The starts of the open brackets; -1 for brackets that are no link's. */
  const open: number[] = [];
  for (let at = 0; at < line.length; at += 1) {
    const sign = line.charAt(at);
    if (sign === '\\') at += 1;
    else if (sign === '(') open.push(line.charAt(at - 1) === ']' ? at + 1 : -1);
    else if (sign === ')') open.pop();
  }
  const begin = open.find(at => at >= 0);
  return begin === undefined ? '' : line.slice(begin);
}

function runBefore(text: string, place: number, stop: RegExp): string {
  let from = place;
  while (from > 0 && place - from < MAX_ADDRESS_LENGTH && !stop.test(text.charAt(from - 1))) from -= 1;
  return text.slice(from, place);
}

function addressIn(run: string): string | undefined {
  // The first address counts, because an address may contain another.
  const begins = [OPENING, BARE_HOST].map(start => run.search(start)).filter(at => at >= 0);
  const mail = run.search(MAIL);
  if (mail >= 0 && run.includes('?', mail)) begins.push(mail);
  if (begins.length === 0) return undefined;
  const begin = Math.min(...begins);
  return `${SCHEME.exec(run.slice(0, begin))?.[0] ?? ''}${run.slice(begin)}`;
}

/** Whether one of the texts has the address, up to its first token and without the name of a parameter before that. */
export function isAddressIn(address: string, texts: readonly string[]): boolean {
  const plain = address.slice(0, maskTokensIn(address)[0]?.start).replaceAll('\\/', '/');
  const end = Math.max(...['/', '?', '#'].map(sign => plain.lastIndexOf(sign)));
  const base = plain.slice(0, end + 1);
  return WHOLE_HOST.test(base) && texts.some(text => text.includes(base));
}
