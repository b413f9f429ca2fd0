import { findHost } from '../../db/hosts/hosts.ts';
import { ALWAYS_INDEXABLE } from '../../db/knowledge/chunks.ts';
import {
  beginImport,
  type OpenImport,
  type Progress,
  storeProgress,
} from '../../db/knowledge/document-imports.ts';
import { readUpload } from '../../db/knowledge/document-uploads.ts';
import { readDocumentState } from '../../db/knowledge/documents.ts';
import { withHost } from '../../db/with-hosts.ts';
import { linkSignals } from '../../platform/link-signals.ts';
import { repeat } from '../../platform/repeat.ts';
import { runInSlices } from '../../platform/run-in-slices.ts';
import type { MediaType, Scans, UnreadableReason } from '../../queues/contract/operations/document-shape.ts';
import type { DocumentText } from '../domain/documents/block.ts';
import { cutPassages, type Passage } from '../domain/documents/cut-passages.ts';
import type { Fetcher } from '../tools/egress.ts';
import { kindOfMediaType, mediaTypeOf, UnreadableError } from './document-kind.ts';
import { finishImport, isHeld, storeGone, storeUnchanged } from './end-import.ts';
import { fetchSource } from './fetch-source.ts';
import { readScans, type ScanParts } from './read-scans.ts';
import { type PageVersion, readSite, type SitePages } from './read-site.ts';
import { MAX_PASSAGES, storePassages } from './store-passages.ts';

/*
 * One run of an import reads the document, cuts it, and replaces its passages. Only progress is written before the last step,
 * so a run that dies leaves the import as it was, and the next run begins again. The import fails after its last attempt: a
 * document that takes its worker down must not do so for ever. Each report of progress finds out whether the import is to go
 * on. A parser may be silent for minutes, so the last report is repeated until the passages are stored.
 */

export interface ImportParts extends ScanParts {
  readonly egress: Fetcher;
  /** Shows the progress on the queue board. */
  onProgress(progress: Progress): Promise<void>;
}

const MAX_ATTEMPTS = 5;
/** A server that wants more than the longest pause between two readings gets that. */
const MAX_RETRY_AFTER_MS = 720 * 3_600_000;
const PROGRESS_EVERY_MS = 500;
/** An import that nobody wants any more ends within this time. */
const REPEAT_PROGRESS_MS = 1_000;

/** Resolves to the reason if the document could not be read; undefined if it was read, or its import had ended before. */
export async function runImport(
  parts: ImportParts,
  { hostId, importId }: { readonly hostId: string; readonly importId: string },
): Promise<UnreadableReason | undefined> {
  const order = await withHost(parts.db, hostId, scope => beginImport(scope, importId));
  if (!order) return undefined;
  const halt = new AbortController();
  const asked: Asked = { retryAfterMs: 0 };
  using linked = linkSignals(parts.signal, halt.signal);
  try {
    if (order.attempts > MAX_ATTEMPTS) throw new UnreadableError('interrupted');
    await readAndStore(order, { ...parts, signal: linked.signal }, { halt, asked });
    return undefined;
  } catch (error) {
    parts.signal.throwIfAborted();
    const ended = halt.signal.aborted ? halt.signal.reason : error;
    if (ended === NOT_WANTED) return undefined;
    if (!(ended instanceof UnreadableError)) throw ended;
    const { retryAfterMs, scans } = asked;
    // A second time in a row it is no mistake.
    if (ended.reason === 'gone' && isHeld(order)) await storeGone(parts.db, order);
    else
      await withHost(parts.db, hostId, scope =>
        finishImport(scope, order, { reason: ended.reason, retryAfterMs, scans }),
      );
    return ended.reason;
  }
}

/** Another run has taken the import over, or it is gone. */
const NOT_WANTED = 'not-wanted';

/** What is known of the document before it is stored: what its server asks for, and who read its scanned pages. */
interface Asked {
  retryAfterMs: number;
  scans?: Scans | undefined;
}

interface Run {
  readonly halt: AbortController;
  readonly asked: Asked;
}

/** `halt` is aborted if the import is not to go on, with `NOT_WANTED` or the reason why it ends. */
async function readAndStore(order: OpenImport, parts: ImportParts, { halt, asked }: Run): Promise<void> {
  const report = makeReporter(order, parts, halt);
  const isRead = new AbortController();
  using reporting = linkSignals(parts.signal, isRead.signal);
  void repeat(() => report(), {
    everyMs: REPEAT_PROGRESS_MS,
    signal: reporting.signal,
    onError: () => {},
  });
  try {
    const source =
      order.url === null
        ? await readSent(order, parts, report)
        : await readFromUrl(order.url, order, { ...parts, asked }, report);
    if (source === 'unchanged') return await storeUnchanged(parts.db, order);
    const { mediaType, site, versions, pdf } = source;
    const onPage = (done: number, total: number) => void report({ stage: 'reading', done, total });
    const { text, ...scans } = pdf
      ? await readScans(order, source.text, parts, { bytes: pdf, onPage })
      : { text: source.text, pages: [] };
    asked.scans = scans.scans;
    const passages = await cut(order, text, parts);
    if (passages.length === 0 && !site?.unchanged.length) throw new UnreadableError('no-text');
    isRead.abort();
    await report({ stage: 'storing', done: 0, total: passages.length }, true);
    parts.signal.throwIfAborted();
    await storePassages(parts.db, order, {
      passages,
      mediaType,
      site,
      versions,
      retryAfterMs: asked.retryAfterMs,
      struck: text.struck,
      head: text,
      scans,
    });
  } finally {
    isRead.abort();
  }
}

interface SourceText {
  readonly text: DocumentText;
  readonly mediaType: MediaType;
  readonly site?: SitePages | undefined;
  readonly versions?: readonly PageVersion[];
  /** Its bytes, where it is a PDF and no site. */
  readonly pdf?: Uint8Array | undefined;
}

async function readSent(
  order: OpenImport,
  { db, parser, signal }: ImportParts,
  report: Report,
): Promise<SourceText> {
  const { hostId, uploadId, mediaType } = order;
  await report({ stage: 'reading', done: 0, total: 0 }, true);
  const bytes =
    uploadId === null ? undefined : await withHost(db, hostId, scope => readUpload(scope, uploadId));
  const kind = kindOfMediaType(mediaType);
  if (!bytes || !kind) throw new UnreadableError('interrupted');
  const onPage = (done: number, total: number) => void report({ stage: 'reading', done, total });
  const result = await parser.read({ kind, bytes, mayBeScanned: order.readsScans }, { signal, onPage });
  if (!('text' in result)) throw new UnreadableError('wrong-kind');
  return { text: result.text, mediaType: mediaTypeOf(kind), pdf: kind === 'pdf' ? bytes : undefined };
}

async function readFromUrl(
  url: string,
  order: OpenImport,
  { egress, parser, signal, onFetching, asked }: ImportParts & Pick<Run, 'asked'>,
  report: Report,
): Promise<SourceText | 'unchanged'> {
  onFetching(order.isAutomatic);
  await report({ stage: 'fetching', done: 0, total: 0 }, true);
  const known = new Map(order.pages?.map(page => [page.address, page]));
  const fetch = (address: string, stop: AbortSignal) =>
    fetchSource(egress, address, stop, known.get(address)).catch((error: unknown) => {
      const { retryAfterMs = 0 } = error instanceof UnreadableError ? error : {};
      asked.retryAfterMs = Math.min(Math.max(asked.retryAfterMs, retryAfterMs), MAX_RETRY_AFTER_MS);
      throw error;
    });
  let pdf: Uint8Array | undefined;
  const read = await readSite(url, {
    fetch,
    textHashOf: address => known.get(address)?.text,
    parse: (request, stop, isOfSite) => {
      if (!isOfSite && request.kind === 'pdf') pdf = request.bytes;
      const mayBeScanned = order.readsScans && !isOfSite;
      return parser.read({ ...request, mayBeScanned }, { signal: stop, isOfSite, onPage: () => {} });
    },
    onPage: (done, total) => report({ stage: 'fetching', done, total }),
    signal,
  });
  if (read === 'unchanged') return read;
  const { text, kind, site, versions } = read;
  return { text, mediaType: mediaTypeOf(kind), site, versions, pdf };
}

async function cut(order: OpenImport, text: DocumentText, { db, signal }: ImportParts): Promise<Passage[]> {
  const host = await withHost(db, order.hostId, findHost);
  const limit = Math.min(host?.chunkSizeLimit ?? 0, ALWAYS_INDEXABLE);
  const passages = await runInSlices(
    cutPassages(text, { name: order.name, limit, most: MAX_PASSAGES }),
    signal,
  );
  if (!passages) throw new UnreadableError('too-many-passages');
  return passages;
}

/** Without a progress, the last one is reported again. `isNow` skips the pause between reports. */
type Report = (progress?: Progress, isNow?: boolean) => Promise<void>;

/** Reports progress; a failure to store it is ignored. */
function makeReporter(order: OpenImport, { db, onProgress }: ImportParts, halt: AbortController): Report {
  let last: Progress = { stage: 'waiting', done: 0, total: 0 };
  let reportedAt = 0;
  let reported: Promise<unknown> = Promise.resolve();
  const tell = async () => {
    const progress = last;
    const stored = withHost(db, order.hostId, async scope => {
      const isOurs = await storeProgress(scope, order, progress);
      const state = await readDocumentState(scope, order);
      if (state === 'dataset-deleted' || state === 'superseded') halt.abort(new UnreadableError(state));
      else if (!isOurs || !state) halt.abort(NOT_WANTED);
    });
    await Promise.allSettled([stored, onProgress(progress)]);
  };
  return async (progress, isNow = progress === undefined) => {
    last = progress ?? last;
    if (!isNow && performance.now() - reportedAt < PROGRESS_EVERY_MS) return;
    reportedAt = performance.now();
    // Each report waits for the one before it, so that none overwrites a later one.
    reported = reported.then(tell);
    await reported;
  };
}
