import { linkSignals } from '../../platform/link-signals.ts';
import { type Block, type DocumentText, lengthOf } from '../domain/documents/block.ts';
import { UnreadableError } from './document-kind.ts';
import type { FetchedSource } from './fetch-source.ts';
import type { ReadRequest, ReadResult } from './parser/parse-document.ts';

/*
 * Reads what an address answers: one document, or the pages of a sitemap. Only pages and sitemaps of the origin of the first
 * answer are read, each address once, so that a sitemap that names itself ends. A page that cannot be read is left out; where
 * all of it takes too long, nothing is read.
 */

export interface SiteParts {
  fetch(url: string, signal: AbortSignal): Promise<FetchedSource>;
  parse(request: ReadRequest, signal: AbortSignal): Promise<ReadResult>;
  /** `total`: as far as it is known. */
  onPage(done: number, total: number): Promise<void>;
  readonly signal: AbortSignal;
}

export interface SiteText {
  readonly text: DocumentText;
  /** For a site, it is that of its pages. */
  readonly kind: FetchedSource['kind'];
}

const MAX_SITE_PAGES = 200;
const MAX_SITEMAPS = 20;
/** In UTF-16 units. */
const MAX_SITE_TEXT = 16 * 1_048_576;
const MAX_SITE_BLOCKS = 200_000;

/** Three seconds a page. Less than the time of its job, which ends it without a reason, and stores what was read. */
const MAX_SITE_MS = 600_000;

/** Rejects with an UnreadableError, or when the signal is aborted. */
export async function readSite(url: string, parts: SiteParts, maxMs = MAX_SITE_MS): Promise<SiteText> {
  const limit = AbortSignal.timeout(maxMs);
  using linked = linkSignals(parts.signal, limit);
  try {
    return await readPages(url, { ...parts, signal: linked.signal });
  } catch (error) {
    parts.signal.throwIfAborted();
    throw limit.aborted ? new UnreadableError('too-slow') : error;
  }
}

async function readPages(url: string, parts: SiteParts): Promise<SiteText> {
  const { fetch, parse, signal } = parts;
  const first = await fetch(url, signal);
  const result = await parse(requestOf(first), signal);
  if ('text' in result) return { text: result.text, kind: first.kind };
  const { origin } = new URL(first.url);
  const pages = await listPages([first.url, url], result, { ...parts, origin });
  const blocks: Block[] = [];
  let length = 0;
  let hasFalseFrontMatter = false;
  for (const [at, page] of pages.entries()) {
    const text = await readPage(page, { ...parts, origin });
    // The front matter of a page would be lost: its passages have none of their own.
    hasFalseFrontMatter ||= text.hasFalseFrontMatter === true || text.frontMatter !== undefined;
    for (const block of text.blocks) {
      blocks.push(block);
      length += lengthOf(block);
    }
    // The limits of a page are those of the parser; all pages together are held here.
    if (length > MAX_SITE_TEXT || blocks.length > MAX_SITE_BLOCKS) throw new UnreadableError('too-large');
    await parts.onPage(at + 1, pages.length);
  }
  if (blocks.length === 0) throw new UnreadableError('no-text');
  return { text: { blocks, hasFalseFrontMatter }, kind: 'html' };
}

type OfOrigin = SiteParts & { readonly origin: string };

/** Breadth first; sitemaps that cannot be read are left out. */
async function listPages(known: readonly string[], first: ReadResult, parts: OfOrigin): Promise<string[]> {
  const seen = new Set(known);
  const pages = new Set<string>();
  const waiting: string[] = [];
  const add = (result: ReadResult) => {
    if (!('sitemap' in result)) return;
    for (const page of result.sitemap.pages) {
      const address = addressOf(page, parts.origin);
      if (address !== undefined && pages.size < MAX_SITE_PAGES) pages.add(address);
    }
    for (const sitemap of result.sitemap.sitemaps) {
      const address = addressOf(sitemap, parts.origin);
      if (address === undefined || seen.has(address) || seen.size > MAX_SITEMAPS) continue;
      seen.add(address);
      waiting.push(address);
    }
  };
  add(first);
  for (
    let next = waiting.shift();
    next !== undefined && pages.size < MAX_SITE_PAGES;
    next = waiting.shift()
  ) {
    const result = await readOne(next, parts);
    if (result) add(result);
  }
  return [...pages];
}

async function readPage(url: string, parts: OfOrigin): Promise<DocumentText> {
  const result = await readOne(url, parts);
  if (!result || !('text' in result)) return { blocks: [] };
  const place = url;
  // Without a title, too: the headings of the page before are not those of this one.
  const title: Block = { kind: 'heading', level: 0, text: result.title ?? '', place };
  return { ...result.text, blocks: [title, ...result.text.blocks.map(block => ({ ...block, place }))] };
}

/** Undefined where it cannot be read, or has moved to another origin. */
async function readOne(
  url: string,
  { fetch, parse, origin, signal }: OfOrigin,
): Promise<ReadResult | undefined> {
  try {
    const fetched = await fetch(url, signal);
    return new URL(fetched.url).origin === origin ? await parse(requestOf(fetched), signal) : undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof UnreadableError) return undefined;
    throw error;
  }
}

/** Without its fragment; undefined where it is of another origin. */
function addressOf(url: string, origin: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const address = new URL(url);
  address.hash = '';
  return address.origin === origin ? address.href : undefined;
}

function requestOf({ kind, bytes, encoding }: FetchedSource): ReadRequest {
  return { kind, bytes, encoding, mayBeSitemap: kind === 'html' };
}
