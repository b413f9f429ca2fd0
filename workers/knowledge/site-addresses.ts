import type { ReadResult } from './parser/parse-document.ts';

/* Which addresses are of one site, and which of them a page leads to. */

/**
 * Removes the fragment; returns undefined for another site. With and without `www.`, by http and by https it is one: a sitemap
 * often names the pages by another of the four than the site answers by.
 */
export function addressOf(url: string, origin: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const [address, own] = [new URL(url), new URL(origin)];
  address.hash = '';
  if (address.origin === origin) return address.href;
  const isOne = address.port + own.port === '' && bareNameOf(address) === bareNameOf(own);
  return isOne && /^https?:$/.test(address.protocol)
    ? `${origin}${address.pathname}${address.search}`
    : undefined;
}

function bareNameOf({ hostname }: URL): string {
  return hostname.replace(/^www\./, '');
}

/** The pages of the site where a browser goes on by itself, without these. */
export function leadsOf(result: ReadResult, passed: readonly string[], origin: string): string[] {
  const leads = 'text' in result ? (result.leads ?? []) : [];
  const found = new Set(leads.flatMap(lead => addressOf(lead, origin) ?? []));
  for (const each of passed) found.delete(each);
  return [...found];
}

/** Where a page without text leads, as it says it: of a bare name there may be nothing but the way to `www.`. */
export function onlyWayOf(result: ReadResult, [way, ...others]: readonly string[], origin: string) {
  if (!('text' in result) || result.text.blocks.length > 0 || way === undefined || others.length > 0)
    return undefined;
  return result.leads?.find(lead => addressOf(lead, origin) === way);
}
