import { createHash } from 'node:crypto';
import type { Db } from '../../db/connection.ts';
import { findHost, type Host, hasBudget } from '../../db/hosts/hosts.ts';
import type { OpenImport } from '../../db/knowledge/document-imports.ts';
import { findScannedText, type ScannedPage, storeScannedText } from '../../db/knowledge/scanned-pages.ts';
import { withHost } from '../../db/with-hosts.ts';
import type { Scans, WhyUnread } from '../../queues/contract/operations/document-shape.ts';
import type { Block, DocumentText } from '../domain/documents/block.ts';
import { makeMasking, NO_MASKING } from '../domain/masking/masking.ts';
import { parseScan, scanPromptOf } from '../domain/prompts/scan-prompt.ts';
import type { Model } from '../model/model.ts';
import { spendFailureOf } from '../model/model-call.ts';
import type { ModelDirectory } from '../model/model-directory.ts';
import { giveUpAfter } from '../model/tries.ts';
import { UnreadableError } from './document-kind.ts';
import type { Parser } from './open-parser.ts';

/*
 * Scanned pages are read by the model of the host, one after the other. What is read is stored at once by the picture that the model
 * saw: an import that begins again, after a kill or a spent budget, and a later one of the same pages, pay for none twice. A page is
 * read whole or not at all; one that is not read is named with the reason, and the import goes on.
 */

export interface ScanModel {
  readonly model: Model;
  readonly directory: Pick<ModelDirectory, 'findInsightModel'>;
  /** The models that read pictures. */
  readonly visionModels: readonly string[];
  readonly defaultModel: string | undefined;
}

export interface ScanParts {
  readonly db: Db;
  readonly parser: Pick<Parser, 'read'>;
  /** Undefined where no model is: scanned pages are not read. */
  readonly scanModel?: ScanModel | undefined;
  /** Called before it waits for servers or a model: the job's slot may be lent until the import ends. */
  onFetching(isAutomatic: boolean): void;
  readonly signal: AbortSignal;
}

/** Of one import: a page costs some cents. */
const MAX_PAGES = 100;
const PAGE_MS = 60_000;
/** The job ends after 15 minutes, of which reading the document may take three. */
const ALL_MS = 480_000;
/** A model that fails as often in a row is not asked for the other pages. */
const MAX_FAILURES = 3;

/** Returns the model that reads scanned pages for the host; undefined if its model sees no pictures. */
export async function scanModelOf(
  { directory, visionModels, defaultModel }: Omit<ScanModel, 'model'>,
  hostId: string,
): Promise<string | undefined> {
  if (visionModels.length === 0) return undefined;
  const usual = (await directory.findInsightModel(hostId)) ?? defaultModel;
  return usual !== undefined && visionModels.includes(usual) ? usual : undefined;
}

/** Nothing is masked in a picture. */
export function mayShowPictures({ mask, maskImages }: Pick<Host, 'mask' | 'maskImages'>): boolean {
  return !mask || maskImages === 'allow';
}

interface ReadScans {
  readonly text: DocumentText;
  /** Undefined without scanned pages. */
  readonly scans?: Scans;
  readonly pages: readonly ScannedPage[];
}

interface ScanWork {
  readonly bytes: Uint8Array;
  onPage(done: number, total: number): void;
}

/** Returns the text with what a model reads on its scanned pages. */
export async function readScans(
  order: OpenImport,
  text: DocumentText,
  parts: ScanParts,
  { bytes, onPage }: ScanWork,
): Promise<ReadScans> {
  const { scanned = [] } = text;
  if (scanned.length === 0) return { text, pages: [] };
  const read: PageText[] = [];
  const unread: { page: number; why: WhyUnread }[] = [];
  const reader = await makeReader(order, parts);
  for (const [at, page] of scanned.entries()) {
    parts.signal.throwIfAborted();
    const found = typeof reader === 'string' || at >= MAX_PAGES ? 'limit' : await reader(page, bytes);
    if (typeof found !== 'string') read.push(found);
    else unread.push({ page, why: typeof reader === 'string' ? reader : found });
    onPage(at + 1, scanned.length);
  }
  const scans = { read: rangesOf(read), unread: rangesOf(unread) };
  return { text: await withPages(text, read, parts), scans, pages: read };
}

interface PageText extends ScannedPage {
  readonly text: string;
}

type PageReader = (page: number, bytes: Uint8Array) => Promise<PageText | WhyUnread>;

async function makeReader(order: OpenImport, parts: ScanParts): Promise<PageReader | WhyUnread> {
  if (!order.readsScans) return 'not-asked';
  const { db, parser, signal, scanModel } = parts;
  const { hostId, documentId } = order;
  const host = await withHost(db, hostId, findHost);
  const name = scanModel && (await scanModelOf(scanModel, hostId));
  if (!host || !name || !mayShowPictures(host)) return 'no-model';
  parts.onFetching(order.isAutomatic);
  const endsAt = performance.now() + ALL_MS;
  let stopped: WhyUnread | undefined;
  let failures = 0;
  return async (page, bytes) => {
    // Also before a page is drawn: one that is made to be slow takes three minutes, and nobody is asked of it.
    if (performance.now() > endsAt) stopped ??= 'limit';
    if (stopped === 'limit') return stopped;
    const drawn = await parser
      .read({ kind: 'pdf', bytes, drawnPage: page }, { signal, onPage: () => {} })
      .catch(orUnreadable);
    const png = drawn && 'png' in drawn ? drawn.png : null;
    if (png === null) return 'picture';
    const hash = createHash('sha256').update(png).digest('hex');
    const of = { page, hash };
    const known = await withHost(db, hostId, async scope => {
      const stored = await findScannedText(scope, documentId, hash);
      if (stored !== undefined) await storeScannedText(scope, documentId, of, stored);
      return stored;
    });
    if (known !== undefined) return { ...of, text: known };
    if (stopped) return stopped;
    const answer = await ask({ ...scanModel, name, host }, signal, png, page);
    failures = 'text' in answer ? 0 : failures + 1;
    if ('text' in answer) {
      await withHost(db, hostId, scope => storeScannedText(scope, documentId, of, answer.text));
      return { ...of, text: answer.text };
    }
    if (answer.why === 'budget' || failures >= MAX_FAILURES) stopped = answer.why;
    return answer.why;
  };
}

interface Asked extends ScanModel {
  readonly name: string;
  readonly host: Host;
}

async function ask(
  { model, name, host, visionModels }: Asked,
  signal: AbortSignal,
  png: string,
  page: number,
): Promise<{ readonly text: string } | { readonly why: WhyUnread }> {
  const endsAt = performance.now() + PAGE_MS;
  const remainingMs = () => endsAt - performance.now();
  using asking = giveUpAfter(signal, PAGE_MS);
  const { answer, calls } = await model.complete(name, scanPromptOf(png, page), {
    purpose: 'scan',
    spender: { hostId: host.id, hasBudget: hasBudget(host), remainingMs },
    masking: host.mask ? makeMasking() : NO_MASKING,
    signal: asking.signal,
    remainingMs,
    fallbacks: host.modelFallbacks,
    onlyModels: visionModels,
    mayBeEmpty: true,
  });
  // What is cut short would be half a page without a word of it.
  const text = answer && !answer.isTruncated ? parseScan(answer.text) : undefined;
  if (text !== undefined) return { text };
  return { why: spendFailureOf(calls) ? 'budget' : 'model' };
}

/** A page that takes its parser down is not read; the import goes on. */
function orUnreadable(error: unknown): undefined {
  if (!(error instanceof UnreadableError)) throw error;
}

/** Puts what was read where it stands in the document, behind what else stands on its page. */
async function withPages(
  text: DocumentText,
  read: readonly PageText[],
  { parser, signal }: ScanParts,
): Promise<DocumentText> {
  const blocks: Block[] = [];
  const left = [...text.blocks];
  let hasFalseHead = text.hasFalseHead === true && left.length > 0;
  for (const { page, text: said } of read) {
    const end = left.findIndex(({ place }) => pageOf(place) > page);
    blocks.push(...left.splice(0, end < 0 ? left.length : end));
    if (said === '') continue;
    const request = { kind: 'markdown', bytes: Buffer.from(said), isAttached: true } as const;
    const found = await parser.read(request, { signal, onPage: () => {} }).catch(orUnreadable);
    if (!found || !('text' in found)) continue;
    if (blocks.length === 0) hasFalseHead = found.text.hasFalseHead === true;
    blocks.push(...found.text.blocks.map(block => ({ ...block, place: `p. ${page}` })));
  }
  return { ...text, blocks: [...blocks, ...left], hasFalseHead };
}

function pageOf(place = ''): number {
  return Number(place.slice('p. '.length));
}

function rangesOf<Page extends { readonly page: number; readonly why?: WhyUnread }>(
  pages: readonly Page[],
): { from: number; to: number; why: NonNullable<Page['why']> }[] {
  const ranges: { from: number; to: number; why: NonNullable<Page['why']> }[] = [];
  for (const { page, why } of pages) {
    const last = ranges.at(-1);
    if (last && last.to === page - 1 && last.why === why) last.to = page;
    else ranges.push({ from: page, to: page, ...(why && { why }) } as (typeof ranges)[number]);
  }
  return ranges;
}
