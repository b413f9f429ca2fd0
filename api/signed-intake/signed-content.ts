import type { SigningSource } from '../../db/intake/crm-sources.ts';
import { BODY, STANDARD_PREFIX, TIMESTAMP } from '../../queues/contract/operations/sources.ts';

/*
 * A source signs in one of three schemes, which differ in the signed parts and the headers:
 *
 *   standard   Standard Webhooks: webhook-id, webhook-timestamp (seconds), webhook-signature ("v1,<base64>", several
 *              separated by blanks), over id.timestamp.body; the key is the base64 text after whsec_
 *   hubspot    HubSpot v3: X-HubSpot-Signature-v3 (base64), X-HubSpot-Request-Timestamp (milliseconds), over method, URL,
 *              body and timestamp
 *   hmac       one header, with the algorithm, encoding and prefix of the source; with a timestamp where it sends one
 *
 * The body is that without its content coding: a proxy may change the coding.
 */

export interface SignedRequest {
  readonly method: string;
  /** Path and query, as sent. */
  readonly url: string;
  readonly body: Buffer;
  header(name: string): string;
}

export interface SignedContent {
  /** The signed bytes, when joined in this order. */
  readonly parts: readonly (string | Buffer)[];
  /** The sent signatures; any of them may be the right one. */
  readonly signatures: readonly Buffer[];
  /** Milliseconds. Undefined if the source signs no time; NaN if it should, but does not. */
  readonly signedAt: number | undefined;
  readonly algorithm: 'sha256' | 'sha1';
}

/** A rotation has two; more would let a stranger multiply the comparisons. */
const MAX_SIGNATURES = 8;
/** Milliseconds have more digits than seconds until the year 5138. */
const MAX_SECONDS = 100_000_000_000;

export function signedContentOf(source: SigningSource, request: SignedRequest): SignedContent {
  switch (source.scheme) {
    case 'standard':
      return standardContentOf(request);
    case 'hubspot':
      return hubspotContentOf(source, request);
    case 'hmac':
      return hmacContentOf(source, request);
  }
}

export function keyOf({ scheme }: SigningSource, secret: string): Buffer {
  if (scheme !== 'standard') return Buffer.from(secret);
  return Buffer.from(secret.slice(STANDARD_PREFIX.length), 'base64');
}

function standardContentOf({ header, body }: SignedRequest): SignedContent {
  const [id, timestamp] = [header('webhook-id'), header('webhook-timestamp')];
  const signatures = header('webhook-signature')
    .split(' ', MAX_SIGNATURES)
    .filter(each => each.startsWith('v1,'))
    .map(each => Buffer.from(each.slice('v1,'.length), 'base64'));
  return {
    parts: [`${id}.${timestamp}.`, body],
    signatures,
    signedAt: instantOf(timestamp),
    algorithm: 'sha256',
  };
}

function hubspotContentOf(
  { settings }: SigningSource,
  { method, url, header, body }: SignedRequest,
): SignedContent {
  const timestamp = header('x-hubspot-request-timestamp');
  return {
    parts: [`${method}${decodeForHubspot(`${settings.baseUrl ?? ''}${url}`)}`, body, timestamp],
    signatures: [Buffer.from(header('x-hubspot-signature-v3'), 'base64')],
    signedAt: instantOf(timestamp),
    algorithm: 'sha256',
  };
}

/** HubSpot signs these characters of a URL unescaped, however they were sent. */
const hubspotPlain: Readonly<Record<string, string>> = {
  '%3A': ':',
  '%2F': '/',
  '%3F': '?',
  '%40': '@',
  '%21': '!',
  '%24': '$',
  '%27': "'",
  '%28': '(',
  '%29': ')',
  '%2A': '*',
  '%2C': ',',
  '%3B': ';',
};

function decodeForHubspot(url: string): string {
  return url.replaceAll(/%[0-9a-f]{2}/gi, code => hubspotPlain[code.toUpperCase()] ?? code);
}

function hmacContentOf({ settings }: SigningSource, { header, body }: SignedRequest): SignedContent {
  const {
    header: name = '',
    algorithm = 'sha256',
    encoding = 'hex',
    prefix = '',
    timestampHeader,
  } = settings;
  const sent = header(name);
  const timestamp = timestampHeader === undefined ? undefined : header(timestampHeader);
  const [before = '', after = ''] = (settings.signed ?? BODY).split(BODY);
  const fill = (text: string) => text.replaceAll(TIMESTAMP, () => timestamp ?? '');
  return {
    parts: [fill(before), body, fill(after)],
    signatures: sent.startsWith(prefix) ? [Buffer.from(sent.slice(prefix.length), encoding)] : [],
    signedAt: timestamp === undefined ? undefined : instantOf(timestamp),
    algorithm,
  };
}

/** Reads seconds, milliseconds, or ISO 8601; NaN for any other text. */
function instantOf(text: string): number {
  if (/^[0-9]{1,13}$/.test(text)) return Number(text) > MAX_SECONDS ? Number(text) : Number(text) * 1_000;
  return /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{5,15}(?:Z|[+-][0-9]{2}:?[0-9]{2})$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
}
