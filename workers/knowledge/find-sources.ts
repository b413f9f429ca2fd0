import type { Fetcher } from '../tools/egress.ts';
import { sitemapRootOf, UnreadableError } from './document-kind.ts';
import { fetchBytes } from './fetch-source.ts';

/*
 * The addresses by which all of a site is imported: the sitemaps that its robots.txt names; without any, the first of those that
 * sites have without saying so; without one, its page alone. An address of a page within a site stands for that page, and one that
 * ends with `/` for what is below it.
 */

/** WordPress and its plug-ins make the last two. */
const USUAL = ['sitemap.xml', 'sitemap_index.xml', 'wp-sitemap.xml'];
const MAX_SITEMAPS = 5;
/** Lines of a robots.txt that are read. */
const MAX_LINES = 2_000;

export interface SiteSources {
  readonly urls: readonly string[];
  /** Sitemaps that its robots.txt names beyond the limit. */
  readonly leftOut: readonly string[];
}

/** Rejects with an UnreadableError if the address itself cannot be read. */
export async function findSources(
  egress: Fetcher,
  address: string,
  signal: AbortSignal,
): Promise<SiteSources> {
  const first = await fetchBytes(egress, address, signal);
  const { origin, pathname } = new URL(first.url);
  if (isSitemap(first) || !pathname.endsWith('/')) return { urls: [first.url], leftOut: [] };
  const read = (url: string) => fetchOrNothing(egress, url, signal);
  const sitemapAt = async (url: string) => {
    const found = await read(url);
    return found && isSitemap(found) && new URL(found.url).origin === origin ? found.url : undefined;
  };
  const robots = await read(`${origin}/robots.txt`);
  const named = sitemapsNamedIn(robots ? textOf(robots) : '', first.url);
  const sitemaps = new Set<string>();
  for (const url of pathname === '/' ? named.slice(0, MAX_SITEMAPS) : []) {
    const sitemap = await sitemapAt(url);
    if (sitemap !== undefined) sitemaps.add(sitemap);
  }
  if (sitemaps.size > 0) return { urls: [...sitemaps], leftOut: named.slice(MAX_SITEMAPS) };
  for (const name of USUAL) {
    const sitemap = await sitemapAt(new URL(name, first.url).href);
    if (sitemap !== undefined) return { urls: [sitemap], leftOut: [] };
  }
  return { urls: [first.url], leftOut: [] };
}

type Fetched = Awaited<ReturnType<typeof fetchBytes>>;

/** What cannot be read may not be there. */
async function fetchOrNothing(egress: Fetcher, url: string, signal: AbortSignal) {
  try {
    return await fetchBytes(egress, url, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof UnreadableError) return undefined;
    throw error;
  }
}

function textOf({ bytes }: Fetched): string {
  return new TextDecoder().decode(bytes);
}

function isSitemap(found: Fetched): boolean {
  return sitemapRootOf(textOf(found)) !== undefined;
}

function sitemapsNamedIn(robots: string, base: string): string[] {
  const lines = robots.split('\n', MAX_LINES);
  const named = lines.flatMap(line => /^\s*sitemap\s*:\s*(\S+)/i.exec(line)?.[1] ?? []);
  return [...new Set(named.flatMap(url => (URL.canParse(url, base) ? new URL(url, base).href : [])))];
}
