import { linkSignals } from '../../platform/link-signals.ts';
import { retryAfterMsOf } from '../domain/time/retry-after.ts';
import type { Fetcher } from '../tools/egress.ts';
import { isEgressRefused } from '../tools/egress.ts';
import { ResponseTooLargeError } from '../tools/response-meter.ts';
import { type DocumentKind, kindOfMediaType, UnreadableError } from './document-kind.ts';

export interface FetchedSource {
  /** The address after redirects. */
  readonly url: string;
  readonly kind: DocumentKind;
  readonly encoding: string | undefined;
  readonly bytes: Uint8Array;
}

const TIMEOUT_MS = 20_000;
/** The pause after a 429 that names none. */
const PAUSE_MS = 2_000;

interface FetchedBytes {
  /** The address after redirects. */
  readonly url: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Fetches an address; rejects with an UnreadableError. */
export async function fetchSource(egress: Fetcher, url: string, stop: AbortSignal): Promise<FetchedSource> {
  const { url: lastUrl, mediaType, bytes } = await fetchBytes(egress, url, stop);
  const encoding = /charset="?([\w-]{1,40})/i.exec(mediaType)?.[1];
  return { url: lastUrl, kind: kindOf(mediaType, bytes), encoding, bytes };
}

/** Does the same as `fetchSource` without a look at the bytes. */
export async function fetchBytes({ fetch }: Fetcher, url: string, stop: AbortSignal): Promise<FetchedBytes> {
  using ended = linkSignals(AbortSignal.timeout(TIMEOUT_MS), stop);
  try {
    const response = await fetch(url, {
      headers: { accept: 'text/html, application/xml, */*;q=0.5', 'user-agent': 'Parley-Import' },
      signal: ended.signal,
    });
    // A server tells by these two that the page went; by all others it may be there again.
    if (response.status === 404 || response.status === 410) throw new UnreadableError('gone');
    if (!response.ok) throw new UnreadableError('unreachable', pauseOf(response));
    const bytes = new Uint8Array(await response.arrayBuffer());
    return { url: response.url || url, mediaType: response.headers.get('content-type') ?? '', bytes };
  } catch (error) {
    stop.throwIfAborted();
    throw unreadableOf(error);
  }
}

function pauseOf({ status, headers }: Response): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  return retryAfterMsOf(headers, Date.now()) ?? (status === 429 ? PAUSE_MS : undefined);
}

/** Servers send sitemaps as XML, and files often without their type. */
function kindOf(type: string, bytes: Uint8Array): DocumentKind {
  const start = Buffer.from(bytes.subarray(0, 5)).toString('latin1');
  if (start === '%PDF-') return 'pdf';
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
