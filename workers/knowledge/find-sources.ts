import { linkSignals } from '../../platform/link-signals.ts';
import { fieldFailure } from '../../queues/contract/failure.ts';
import { MAX_URL_LENGTH } from '../../queues/contract/operations/document-shape.ts';
import type { Job } from '../../queues/transport/consumer.ts';
import { HostGate, refuseBusyHost } from '../runtime/host-gate.ts';
import type { Handler } from '../runtime/job.ts';
import type { Fetcher } from '../tools/egress.ts';
import { isPacked, sitemapRootOf, UnreadableError } from './document-kind.ts';
import { fetchBytes } from './fetch-source.ts';
import { addressOf as addressWithin } from './site-addresses.ts';

/*
 * The addresses by which all of a site is imported: the sitemaps that its robots.txt names; without any, the first of those that
 * sites have without saying so; without one, its page alone. An address of a page within a site stands for that page, and one that
 * ends with `/` for what is below it, wherever it leads: `/` to `/pt/inicio.php`, or to `www.`.
 */

/** WordPress and its plug-ins make the last two. */
const USUAL = ['sitemap.xml', 'sitemap_index.xml', 'wp-sitemap.xml'];
const MAX_SITEMAPS = 5;
/** Lines of a robots.txt that are read. */
const MAX_LINES = 2_000;
/** Sitemaps beyond the limit that are named. */
const MAX_LEFT = 100;
/** A host has one at a time, so that a slow site keeps no other host waiting. */
const AT_A_TIME = { maxTotal: 4, maxPerKey: 1 };

interface SiteSources {
  /** The address of the site, to which it may have led. */
  readonly url: string;
  readonly sources: readonly string[];
  /** The first sitemaps that its robots.txt names beyond the limit. */
  readonly left: readonly string[];
}

export function makeFindSiteSources(egress: Fetcher): Handler<'findSiteSources'> {
  const gate = new HostGate(AT_A_TIME);
  return async ({ body, hostId, signal, lendSlot, remainingMs }) => {
    const [url, ...others] = addressesOf(body.url);
    if (url === undefined || url.length > MAX_URL_LENGTH) return fieldFailure('url', 'url');
    try {
      const work = () => findSources(egress, [url, ...others], { signal, remainingMs });
      const { sources, left, ...found } = await gate.run({ key: hostId, signal, lendSlot }, work);
      return { code: 200, data: { url: found.url, sources: [...sources], left: [...left] } };
    } catch (error) {
      if (!(error instanceof UnreadableError)) return refuseBusyHost(error);
      return { code: 200, data: { url, sources: [], left: [], reason: error.reason } };
    }
  };
}

/** Parts of a query that name who led somebody to a page, and no page. */
const CAMPAIGN = /^(?:utm_\w{1,40}|gclid|fbclid|msclkid)$/;

/** As people write it, often without a scheme: some sites have no https. */
function addressesOf(text: string): string[] {
  const sent = text.trim();
  const written = /^[a-z][a-z0-9+.-]*:\/\//i.test(sent) ? [sent] : [`https://${sent}`, `http://${sent}`];
  return written.flatMap(whole => {
    if (!URL.canParse(whole)) return [];
    const url = new URL(whole);
    url.hash = '';
    const named = Array.from(url.searchParams.keys()).filter(name => CAMPAIGN.test(name));
    for (const name of named) url.searchParams.delete(name);
    return /^https?:$/.test(url.protocol) ? [url.href] : [];
  });
}

/** Rejects with an UnreadableError if none of the addresses can be read. */
async function findSources(
  egress: Fetcher,
  [address, ...others]: readonly [string, ...string[]],
  { signal, remainingMs }: Pick<Job, 'signal' | 'remainingMs'>,
): Promise<SiteSources> {
  const first = await fetchBytes(egress, address, signal).catch((error: unknown) => error);
  const [other] = others;
  if (first instanceof UnreadableError && first.reason === 'unreachable' && other !== undefined)
    return findSources(egress, [other], { signal, remainingMs });
  const isRoot = new URL(address).pathname === '/';
  // A site may have pages, and none at its root.
  const isBare = isRoot && first instanceof UnreadableError && first.reason === 'gone';
  if (!isFetched(first) && !isBare) throw first;
  const led = isFetched(first) ? first.url : address;
  const { origin } = new URL(led);
  const url = isRoot ? `${origin}/${new URL(address).search}` : led;
  if ((isFetched(first) && isSitemap(first)) || !new URL(url).pathname.endsWith('/'))
    return { url, sources: [led], left: [] };
  // A site that answers for its page alone is read by that: eight looks that hang would take minutes.
  using looking = linkSignals(AbortSignal.timeout(Math.max(0, Math.floor(remainingMs() / 2))), signal);
  const read = async (url: string) => {
    const found = await fetchOrNothing(egress, url, looking.signal);
    signal.throwIfAborted();
    return found;
  };
  const sitemapAt = async (url: string) => {
    const found = await read(url);
    return found && isSitemap(found) ? addressWithin(found.url, origin) : undefined;
  };
  const robots = await read(`${origin}/robots.txt`);
  const named = sitemapsNamedIn(robots ? textOf(robots) : '', url);
  const sitemaps = new Set<string>();
  for (const each of isRoot ? named.slice(0, MAX_SITEMAPS) : []) {
    const sitemap = await sitemapAt(each);
    if (sitemap !== undefined) sitemaps.add(sitemap);
  }
  if (sitemaps.size > 0)
    return { url, sources: [...sitemaps], left: named.slice(MAX_SITEMAPS, MAX_SITEMAPS + MAX_LEFT) };
  for (const name of USUAL) {
    const sitemap = await sitemapAt(new URL(name, url).href);
    if (sitemap !== undefined) return { url, sources: [sitemap], left: [] };
  }
  if (isBare) throw first;
  return { url, sources: [led], left: [] };
}

type Fetched = Awaited<ReturnType<typeof fetchBytes>>;

function isFetched(first: unknown): first is Fetched {
  return typeof first === 'object' && first !== null && 'bytes' in first;
}

/** What cannot be read may not be there. */
async function fetchOrNothing(egress: Fetcher, url: string, signal: AbortSignal) {
  try {
    return await fetchBytes(egress, url, signal);
  } catch (error) {
    if (signal.aborted || error instanceof UnreadableError) return undefined;
    throw error;
  }
}

function textOf({ bytes }: Fetched): string {
  return new TextDecoder().decode(bytes);
}

function isSitemap(found: Fetched): boolean {
  return isPacked(found.bytes) || sitemapRootOf(textOf(found)) !== undefined;
}

function sitemapsNamedIn(robots: string, base: string): string[] {
  const lines = robots.split('\n', MAX_LINES);
  const named = lines.flatMap(line => /^\s*sitemap\s*:\s*(\S+)/i.exec(line)?.[1] ?? []);
  const whole = named.flatMap(url => (URL.canParse(url, base) ? new URL(url, base).href : []));
  return [...new Set(whole.filter(url => url.length <= MAX_URL_LENGTH))];
}
