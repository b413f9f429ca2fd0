import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { linkSignals } from '../../platform/link-signals.ts';
import type { UnreadableReason } from '../../queues/contract/operations/document-shape.ts';
import { type Block, type DocumentText, lengthOf } from '../domain/documents/block.ts';
import { UnreadableError } from './document-kind.ts';
import type { FetchedSource, Unchanged, Validators } from './fetch-source.ts';
import type { ReadRequest, ReadResult } from './parser/parse-document.ts';
import { addressOf, leadsOf, onlyWayOf } from './site-addresses.ts';

/*
 * Reads one document from an address, the pages of a sitemap, or those where a browser goes on from a page by itself: frames and
 * redirects within it. Only pages and sitemaps of the first answer's site are read, each address once, so that a sitemap that
 * names itself ends. A page that cannot be read, is beyond a limit or is gone is named, and one that its server says is as it was
 * is not read. If most of those that are not gone cannot be reached, or all of it takes too long, nothing is read.
 */

export interface SiteParts {
  fetch(url: string, signal: AbortSignal): Promise<FetchedSource | Unchanged>;
  /** MD5 of the text that a page had when it was last read; undefined if it was not. */
  textHashOf?(address: string): string | undefined;
  parse(request: ReadRequest, signal: AbortSignal, isOfSite: boolean): Promise<ReadResult>;
  /** `total` is as far as it is known. */
  onPage(done: number, total: number): Promise<void>;
  readonly signal: AbortSignal;
}

export interface SiteText {
  readonly text: DocumentText;
  /** A site has the kind of its pages. */
  readonly kind: FetchedSource['kind'];
  /** Undefined for a single document. */
  readonly site?: SitePages | undefined;
  /** Pages by which a later reading can tell that they are as they were. */
  readonly versions: readonly PageVersion[];
}

export interface PageVersion extends Validators {
  readonly address: string;
  /** MD5; empty for a document that is no site. */
  readonly text: string;
}

export interface SitePages {
  /** Undefined if all of it was read. */
  readonly unread?: Unread | undefined;
  /** Pages that are listed, and that their server says are no more. */
  readonly gone: readonly string[];
  readonly repeated: readonly RepeatedPages[];
  /** Pages that are as they were, and were not read. */
  readonly unchanged: readonly string[];
}

/**
 * Pages that answer the same as another one, as all do that lead to a sign-in: ten such pages once deleted the passages of
 * nine. They count as unread if they had passages of their own before.
 */
export interface RepeatedPages {
  readonly addresses: readonly string[];
  /** Whether they certainly answer another page's content; false if it may be none of theirs. */
  readonly isOfAnother: boolean;
}

/** The parts of a site that were not read. */
export interface Unread {
  /** Addresses of pages and sitemaps. */
  readonly addresses: readonly string[];
  /** Whether earlier passages of this address may still be true. */
  isOf(address: string): boolean;
}

const MAX_SITE_PAGES = 200;
const MAX_SITEMAPS = 20;
/** UTF-16 units. */
const MAX_SITE_TEXT = 16 * 1_048_576;
const MAX_SITE_BLOCKS = 200_000;

/** A server that answers 429 is asked three times. All pauses of a site together leave it most of its time. */
const MAX_ATTEMPTS = 3;
const MAX_PAUSES_MS = 120_000;

/** Three seconds a page. The job needs the rest of its time to store what was read; at its own limit it ends without a reason. */
const MAX_SITE_MS = 600_000;

/** Rejects with an UnreadableError, or when the signal is aborted. */
export async function readSite(
  url: string,
  parts: SiteParts,
  maxMs = MAX_SITE_MS,
): Promise<SiteText | Unchanged> {
  const limit = AbortSignal.timeout(maxMs);
  using linked = linkSignals(parts.signal, limit);
  try {
    return await readPages(url, { ...parts, fetch: makePatientFetch(parts.fetch), signal: linked.signal });
  } catch (error) {
    parts.signal.throwIfAborted();
    throw limit.aborted ? new UnreadableError('too-slow') : error;
  }
}

/** Fetches again after the pause that a server asks for. */
function makePatientFetch(fetch: SiteParts['fetch']): SiteParts['fetch'] {
  let pausesLeftMs = MAX_PAUSES_MS;
  const fetchPatiently = async (
    url: string,
    signal: AbortSignal,
    attempt = 1,
  ): ReturnType<SiteParts['fetch']> => {
    try {
      return await fetch(url, signal);
    } catch (error) {
      const pauseMs = error instanceof UnreadableError ? error.retryAfterMs : undefined;
      if (pauseMs === undefined || attempt === MAX_ATTEMPTS || pauseMs > pausesLeftMs) throw error;
      pausesLeftMs -= pauseMs;
      await setTimeout(pauseMs, undefined, { signal });
      return fetchPatiently(url, signal, attempt + 1);
    }
  };
  return (url, signal) => fetchPatiently(url, signal);
}

/** A site that leads from page to page for ever ends there. */
const MAX_HOPS = 5;

/** `behind`: the addresses that led here. */
async function readPages(
  url: string,
  parts: SiteParts,
  behind: readonly string[] = [],
): Promise<SiteText | Unchanged> {
  const { fetch, parse, signal } = parts;
  const first = await fetch(url, signal);
  if (first === 'unchanged') return first;
  const result = await parse(requestOf(first), signal, false);
  const { origin } = new URL(first.url);
  const passed = [...behind, url, first.url];
  const leads = leadsOf(result, passed, origin);
  const way = behind.length < MAX_HOPS ? onlyWayOf(result, leads, origin) : undefined;
  if (way !== undefined) return readPages(way, parts, [...behind, first.url]);
  if ('text' in result && leads.length === 0) {
    if (result.leads && result.text.blocks.length === 0) throw new UnreadableError('no-text');
    const versions = versionsOf(url, first, '');
    return { text: result.text, kind: first.kind, versions };
  }
  const fetchNext: SiteParts['fetch'] = async (address, stop) =>
    address === url || address === first.url ? first : fetch(address, stop);
  const ofOrigin = { ...parts, fetch: fetchNext, origin, passed };
  const list =
    'sitemap' in result
      ? await listPages([first.url, url], result, ofOrigin)
      : { pages: [url], beyond: [], unreadSitemaps: [] };
  return readListed(list, ofOrigin);
}

async function readListed({ unreadSitemaps, ...list }: SiteList, parts: OfOrigin): Promise<SiteText> {
  const [pages, beyond] = [new Set(list.pages), new Set(list.beyond)];
  const failed: string[] = [];
  const gone: string[] = [];
  const unchanged: string[] = [];
  const versions: PageVersion[] = [];
  let unreached = 0;
  // Pages that tell whether the site is down: frames may fail beside a text.
  const telling = new Set(list.pages);
  const repeats = makeRepeats(pages);
  const blocks: Block[] = [];
  let length = 0;
  let isOut = unreadSitemaps.length > 0;
  let hasFalseHead = false;
  let struck = 0;
  let done = 0;
  // Pages that these lead to are added meanwhile.
  for (const page of pages) {
    const read = await readPage(page, parts);
    if (read === 'unchanged') {
      unchanged.push(page);
      repeats.add(page, page, parts.textHashOf?.(page) ?? page);
    } else if ('reason' in read) {
      (read.reason === 'gone' ? gone : failed).push(page);
      if (read.reason === 'gone') telling.delete(page);
      isOut ||= read.reason === 'unreachable';
      if (read.reason === 'unreachable' && telling.has(page)) unreached += 1;
      // A site of which most pages fail is down itself.
      if (unreached > telling.size / 2) throw new UnreadableError('unreachable');
    } else {
      const { text, leads } = read;
      for (const lead of leads) (pages.size < MAX_SITE_PAGES || pages.has(lead) ? pages : beyond).add(lead);
      const hash = hashOf(text);
      // A page that is nothing but the way to another one answers its content: that may be a sign-in.
      const [way] = text.blocks.length === 0 ? leads : [];
      repeats.add(page, way ?? read.address, hash);
      // One that leads on is read each time: it may be as it was when the others are not.
      if (leads.length === 0)
        versions.push(...versionsOf(page, { url: read.address, validators: read.validators }, hash));
      // One page's filter is not the site's.
      hasFalseHead ||= text.hasFalseHead === true || text.filter !== undefined;
      struck += text.struck ?? 0;
      for (const block of text.blocks) {
        blocks.push(block);
        length += lengthOf(block);
      }
    }
    // The parser limits a page; all pages together are held here.
    if (length > MAX_SITE_TEXT || blocks.length > MAX_SITE_BLOCKS) throw new UnreadableError('too-large');
    done += 1;
    await parts.onPage(done, pages.size);
  }
  if (blocks.length === 0 && unchanged.length === 0) {
    const isGone = gone.length > 0 && failed.length === 0;
    throw new UnreadableError(isOut ? 'unreachable' : isGone ? 'gone' : 'no-text');
  }
  const unread = unreadOf({ pages: [...pages], failed, beyond: [...beyond], unreadSitemaps }, parts.origin);
  const site = { unread, gone, repeated: repeats.list(), unchanged };
  return { text: { blocks, hasFalseHead, struck }, kind: 'html', site, versions };
}

/** A page that leads to another address is none of its own, and is read each time. */
function versionsOf(
  address: string,
  { url, validators }: Pick<FetchedSource, 'url' | 'validators'>,
  text: string,
): PageVersion[] {
  const { etag, lastModified } = validators;
  return url !== address || (etag === undefined && lastModified === undefined)
    ? []
    : [{ address, etag, lastModified, text }];
}

function hashOf({ blocks }: DocumentText): string {
  const hash = createHash('md5');
  for (const block of blocks) hash.update(JSON.stringify({ ...block, place: undefined }));
  return hash.digest('hex');
}

/** Finds the pages that answer the same as another one, by their last address and by their text. */
function makeRepeats(pages: ReadonlySet<string>) {
  const byAddress = new Map<string, string[]>();
  const byText = new Map<string, string[]>();
  const addTo = (groups: Map<string, string[]>, key: string, page: string) =>
    groups.set(key, [...(groups.get(key) ?? []), page]);
  return {
    add(page: string, address: string, hash: string): void {
      if (address === page) addTo(byText, hash, page);
      else addTo(byAddress, address, page);
    },
    list(): RepeatedPages[] {
      const moved = [...byAddress].map(([address, addresses]) => ({
        addresses,
        isOfAnother: pages.has(address),
      }));
      const equal = [...byText.values()].map(([, ...addresses]) => ({ addresses, isOfAnother: true }));
      return [...moved, ...equal];
    },
  };
}

function unreadOf(
  { pages, failed, beyond, unreadSitemaps }: SiteList & { readonly failed: readonly string[] },
  origin: string,
): Unread | undefined {
  const addresses = [...unreadSitemaps, ...failed, ...beyond];
  if (addresses.length === 0) return undefined;
  const unread = new Set(addresses);
  const read = new Set(pages.filter(page => !unread.has(page)));
  // An unread sitemap may name any page.
  const mayBeNamed = (address: string) => unreadSitemaps.length > 0 && addressOf(address, origin) === address;
  return { addresses, isOf: address => !read.has(address) && (unread.has(address) || mayBeNamed(address)) };
}

interface OfOrigin extends SiteParts {
  readonly origin: string;
  /** Addresses that are read already. */
  readonly passed: readonly string[];
}

interface SiteList {
  readonly pages: readonly string[];
  /** Pages over the limit. */
  readonly beyond: readonly string[];
  /** Sitemaps that cannot be read, or are over a limit. */
  readonly unreadSitemaps: readonly string[];
}

/** Lists the pages breadth first. */
async function listPages(known: readonly string[], first: ReadResult, parts: OfOrigin): Promise<SiteList> {
  const seen = new Set(known);
  const listed = new Set<string>();
  const waiting: string[] = [];
  const unreadSitemaps: string[] = [];
  const add = (result: ReadResult) => {
    if (!('sitemap' in result)) return;
    for (const page of result.sitemap.pages) {
      const address = addressOf(page, parts.origin);
      if (address !== undefined) listed.add(address);
    }
    for (const sitemap of result.sitemap.sitemaps) {
      const address = addressOf(sitemap, parts.origin);
      if (address === undefined || seen.has(address)) continue;
      seen.add(address);
      (seen.size > MAX_SITEMAPS ? unreadSitemaps : waiting).push(address);
    }
  };
  add(first);
  while (listed.size < MAX_SITE_PAGES) {
    const next = waiting.shift();
    if (next === undefined) break;
    const result = await readOne(next, parts);
    // The answer is a sign-in, or a page about an error.
    if (result === 'unchanged' || 'reason' in result || !('sitemap' in result.result))
      unreadSitemaps.push(next);
    else add(result.result);
  }
  const pages = [...listed];
  return {
    pages: pages.slice(0, MAX_SITE_PAGES),
    beyond: pages.slice(MAX_SITE_PAGES),
    unreadSitemaps: [...unreadSitemaps, ...waiting],
  };
}

interface Failed {
  readonly reason: UnreadableReason;
}

interface ReadPage {
  /** The address after redirects. */
  readonly address: string;
  readonly text: DocumentText;
  readonly validators: Validators;
  /** Other pages of the site. */
  readonly leads: readonly string[];
}

async function readPage(url: string, parts: OfOrigin): Promise<ReadPage | Failed | Unchanged> {
  const read = await readOne(url, parts);
  if (read === 'unchanged' || 'reason' in read) return read;
  const { address, result, validators } = read;
  const leads = leadsOf(result, [...parts.passed, address], parts.origin);
  if (!('text' in result) || result.text.blocks.length === 0) {
    if ('text' in result && leads.length === 0) return { reason: 'no-text' };
    return { address, text: { blocks: [] }, validators: {}, leads };
  }
  const place = url;
  // A page without a title gets an empty heading: the headings of the page before are not its own.
  const title: Block = { kind: 'heading', level: 0, text: result.title ?? '', place };
  const blocks = [title, ...result.text.blocks.map(block => ({ ...block, place }))];
  return { address, text: { ...result.text, blocks }, validators, leads };
}

interface ReadOne {
  readonly address: string;
  readonly result: ReadResult;
  readonly validators: Validators;
}

/** Returns a reason for a page that cannot be read, or has moved to another origin. */
async function readOne(
  url: string,
  { fetch, parse, origin, signal }: OfOrigin,
): Promise<ReadOne | Failed | Unchanged> {
  try {
    const fetched = await fetch(url, signal);
    if (fetched === 'unchanged') return fetched;
    const address = addressOf(fetched.url, origin);
    if (address === undefined) return { reason: 'address-refused' };
    const result = await parse(requestOf(fetched), signal, true);
    return { address, result, validators: fetched.validators };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof UnreadableError) return { reason: error.reason };
    throw error;
  }
}

function requestOf({ kind, bytes, encoding, url: address }: FetchedSource): ReadRequest {
  return { kind, bytes, address, encoding, mayBeSitemap: kind === 'html' };
}
