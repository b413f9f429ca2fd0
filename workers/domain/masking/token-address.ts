import { findTokens } from './mask-token.ts';

/*
 * A web address carries what stands in it to its server. A text of a stranger may so have the model write an address with a
 * token: only in an address that the host or the end user gave is a value put back.
 */

/** Of an address, before a token in it. */
const MAX_LENGTH = 1_024;
const STOPS = new Set(' \t\n\r<>()"\'`|'.split(''));
const OPENING = /https?:\\?\/\\?\/|www\./i;
const BARE_HOST = /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+(?::[0-9]+)?[/?#]/u;
/** With a whole host: a token may be a part of that. */
const WHOLE_HOST = /^(?:https?:\/\/)?(?!https?:)[^/?#]+[/?#]/i;

/** The web address in which a place of a text is, as far as it goes before the place; undefined where it is in none. */
export function addressBefore(text: string, place: number): string | undefined {
  let from = place;
  while (from > Math.max(0, place - MAX_LENGTH) && !STOPS.has(text.charAt(from - 1))) from -= 1;
  const run = text.slice(from, place);
  const opening = run.search(OPENING);
  if (opening >= 0) return run.slice(opening);
  return BARE_HOST.test(run) ? run : undefined;
}

/** Whether one of the texts has the address, up to its first token and without the name of a parameter before that. */
export function isAddressIn(address: string, texts: readonly string[]): boolean {
  const plain = address.slice(0, findTokens(address)[0]?.start).replaceAll('\\/', '/');
  const end = Math.max(...['/', '?', '#'].map(sign => plain.lastIndexOf(sign)));
  const base = plain.slice(0, end + 1);
  return WHOLE_HOST.test(base) && texts.some(text => text.includes(base));
}
