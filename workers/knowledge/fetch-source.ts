import { linkSignals } from '../../platform/link-signals.ts';
import { retryAfterMsOf } from '../domain/time/retry-after.ts';
import type { Fetcher } from '../tools/egress.ts';
import { isEgressRefused } from '../tools/egress.ts';
import { ResponseTooLargeError } from '../tools/response-meter.ts';
import { type DocumentKind, isPacked, kindOfMediaType, UnreadableError } from './document-kind.ts';

export interface FetchedSource {
  /** The address after redirects. */
  readonly url: string;
  readonly kind: DocumentKind;
  readonly encoding: string | undefined;
  readonly bytes: Uint8Array;
  /** What its server said by which a change can be told later. */
  readonly validators: Validators;
}

export interface Validators {
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
}

/** The server says that the page is as it was. */
export type Unchanged = 'unchanged';

/** A server names versions in few characters; longer ones would be kept for each page. */
const MAX_VALIDATOR = 300;
const TIMEOUT_MS = 20_000;
/** The statuses of an answer that is the page, as it is or as a proxy passes it on. */
const WHOLE: ReadonlySet<number> = new Set([200, 203]);
/** The pause after a 429 that names none. */
const PAUSE_MS = 2_000;

interface FetchedBytes {
  /** The address after redirects. */
  readonly url: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

interface Answered extends FetchedBytes {
  readonly validators: Validators;
}

/** Fetches an address, unless it is still as `known`; rejects with an UnreadableError. */
export async function fetchSource(
  egress: Fetcher,
  url: string,
  stop: AbortSignal,
  known: Validators = {},
): Promise<FetchedSource | Unchanged> {
  const answered = await request(egress, url, stop, known);
  if (answered === 'unchanged') return answered;
  const { url: lastUrl, mediaType, bytes, validators } = answered;
  const encoding = /charset="?([\w-]{1,40})/i.exec(mediaType)?.[1];
  return { url: lastUrl, kind: kindOf(mediaType, bytes), encoding, bytes, validators };
}

/** Does the same as `fetchSource` without a look at the bytes. */
export async function fetchBytes(egress: Fetcher, url: string, stop: AbortSignal): Promise<FetchedBytes> {
  const answered = await request(egress, url, stop, {});
  // Nothing was named that it could be the same as.
  if (answered === 'unchanged') throw new UnreadableError('unreachable');
  return answered;
}

async function request(
  { fetch }: Fetcher,
  url: string,
  stop: AbortSignal,
  { etag, lastModified }: Validators,
): Promise<Answered | Unchanged> {
  using ended = linkSignals(AbortSignal.timeout(TIMEOUT_MS), stop);
  try {
    const response = await fetch(url, {
      headers: {
        accept: 'text/html, application/xml, */*;q=0.5',
        'user-agent': 'Parley-Import',
        ...(etag !== undefined && { 'if-none-match': etag }),
        ...(lastModified !== undefined && { 'if-modified-since': lastModified }),
      },
      signal: ended.signal,
    });
    const isConditional = etag !== undefined || lastModified !== undefined;
    if (response.status === 304 && isConditional) return 'unchanged';
    // A server tells by these two that the page went; by all others it may be there again.
    if (response.status === 404 || response.status === 410) throw new UnreadableError('gone');
    // A 202 is a challenge to robots, or comes before the page; a 206 is a part of it: half a page once replaced the whole.
    if (!WHOLE.has(response.status)) throw new UnreadableError('unreachable', pauseOf(response));
    const bytes = new Uint8Array(await response.arrayBuffer());
    const mediaType = response.headers.get('content-type') ?? '';
    return { url: response.url || url, mediaType, bytes, validators: validatorsOf(response) };
  } catch (error) {
    stop.throwIfAborted();
    throw unreadableOf(error);
  }
}

function validatorsOf({ headers }: Response): Validators {
  const valueOf = (name: string) => {
    const value = headers.get(name);
    return value !== null && value.length <= MAX_VALIDATOR ? value : undefined;
  };
  return { etag: valueOf('etag'), lastModified: valueOf('last-modified') };
}

function pauseOf({ status, headers }: Response): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  return retryAfterMsOf(headers, Date.now()) ?? (status === 429 ? PAUSE_MS : undefined);
}

/** Servers send sitemaps as XML or packed, and files often without their type. */
function kindOf(type: string, bytes: Uint8Array): DocumentKind {
  const start = Buffer.from(bytes.subarray(0, 5)).toString('latin1');
  if (start === '%PDF-') return 'pdf';
  if (isPacked(bytes)) return 'html';
  const isXml = /^(?:application|text)\/(?:[\w.-]{1,40}\+)?xml/i.test(type);
  const kind = isXml || type === '' ? 'html' : kindOfMediaType(type);
  if (!kind) throw new UnreadableError('wrong-kind');
  return kind;
}

function unreadableOf(error: unknown): UnreadableError {
  if (error instanceof UnreadableError) return error;
  if (isEgressRefused(error)) return new UnreadableError('address-refused');
  const isTooLarge =
    error instanceof ResponseTooLargeError ||
    (error instanceof Error && error.cause instanceof ResponseTooLargeError);
  return new UnreadableError(isTooLarge ? 'too-large' : 'unreachable');
}
