import { type BrokenRule, broken } from '../../platform/field-error.ts';

/* Rules for headers that a tenant sets. */

export const MAX_VALUE_LENGTH = 8_000;
const MAX_NAME_LENGTH = 200;

/** Headers that the HTTP client or a protocol sets. */
const ownHeaders =
  /^(?:host|connection|content-length|content-type|transfer-encoding|keep-alive|upgrade|te|trailer|expect|proxy-.*|mcp-.*|last-event-id)$/i;

export function isHeaderName(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);
}

export function isSameHeader(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

export function headerNameErrorOf(name: string): BrokenRule | undefined {
  if (!isHeaderName(name)) return broken('header-name');
  return ownHeaders.test(name) ? broken('not-allowed') : undefined;
}

export function isHeaderValue(value: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}
