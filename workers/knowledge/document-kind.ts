import type { MediaType, UnreadableReason } from '../../queues/contract/operations/document-shape.ts';

const mediaTypes = {
  markdown: 'text/markdown',
  text: 'text/plain',
  html: 'text/html',
  csv: 'text/csv',
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const satisfies Record<string, MediaType>;
export type DocumentKind = keyof typeof mediaTypes;

const kinds = new Map<string, DocumentKind>([
  ...Object.entries(mediaTypes).map(([kind, type]) => [type, kind as DocumentKind] as const),
  ['application/xhtml+xml', 'html'],
]);

/** Returns the kind of a media type, without its parameters; undefined if no kind has it. */
export function kindOfMediaType(mediaType: string): DocumentKind | undefined {
  return kinds.get(mediaType.split(';')[0]?.trim().toLowerCase() ?? '');
}

export function mediaTypeOf(kind: DocumentKind): MediaType {
  return mediaTypes[kind];
}

/** The name of the outermost element of a sitemap; undefined for other texts. */
export function sitemapRootOf(text: string): string | undefined {
  return /<(urlset|sitemapindex)[\s>]/.exec(text.slice(0, 4_096))?.[1];
}

/** Whether these are the bytes of a gzip file, as large sites have their sitemaps. */
export function isPacked(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** Thrown when a document is not imported, for a reason that its owner can understand. */
export class UnreadableError extends Error {
  readonly reason: UnreadableReason;
  /** The pause that the document's server asks for. */
  readonly retryAfterMs: number | undefined;

  constructor(reason: UnreadableReason, retryAfterMs?: number) {
    super(`the document cannot be read: ${reason}`);
    this.name = 'UnreadableError';
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }
}
