import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Db } from '../../db/connection.ts';
import { insertChunks } from '../../db/knowledge/chunks.ts';
import { type DatasetType, findDataset } from '../../db/knowledge/datasets.ts';
import {
  endImport,
  type ImportEnd,
  type NamedPages,
  type OpenImport,
} from '../../db/knowledge/document-imports.ts';
import {
  deletePassages,
  lockDocument,
  movePassages,
  readFilter,
  readPassages,
  type StoredPassage,
  setFilter,
  updateDocument,
} from '../../db/knowledge/documents.ts';
import { type HostScope, withHost } from '../../db/with-hosts.ts';
import { runInSlices } from '../../platform/run-in-slices.ts';
import {
  MAX_URL_LENGTH,
  type MediaType,
  type UnreadableReason,
} from '../../queues/contract/operations/document-shape.ts';
import type { DocumentText } from '../domain/documents/block.ts';
import type { Passage } from '../domain/documents/cut-passages.ts';
import type { PassageFilter } from '../domain/passage-filter.ts';
import { loadCountTokens } from '../model/count-tokens.ts';
import { addEvent } from '../runtime/add-event.ts';
import { UnreadableError } from './document-kind.ts';
import type { SitePages } from './read-site.ts';

/*
 * Replaces the passages of a document, and ends the import, in one transaction: a reader sees either all old passages or all
 * new ones. Only differences are written: an old passage with the same text keeps its id, its embedding and its place in the
 * index.
 */

/** Limits one document. */
export const MAX_PASSAGES = 20_000;
/** Rows of one statement. */
const BATCH_SIZE = 200;

/** This many addresses of pages are named, each cut at the length of a URL. */
const MAX_NAMED = 50;

/** Thrown when another run of this import ended it first. */
class EndedError extends Error {}

interface Replacement {
  readonly passages: readonly Passage[];
  readonly mediaType: MediaType;
  /** Undefined for a single document. Passages of unread parts of a site stay. */
  readonly site?: SitePages | undefined;
  readonly head: DocumentText;
  readonly struck?: number | undefined;
}

interface HashedPassage extends Passage {
  readonly hash: string;
}

export async function storePassages(
  db: Db,
  order: OpenImport,
  { passages, mediaType, site, struck = 0, head }: Replacement,
): Promise<void> {
  const { tokenId, tokenName } = order;
  const actor = { kind: 'token', tokenId, name: tokenName, operation: 'importDocument' } as const;
  const hashed = await runInSlices(hashPassages(passages));
  const countTokens = await loadCountTokens();
  const replace = async (scope: HostScope) => {
    const state = await lockDocument(scope, order);
    // The import was deleted with its document.
    if (state === undefined) return;
    if (state !== 'current') throw new UnreadableError(state);
    // A dataset of unknown type counts as a filtered one.
    const datasetType = (await findDataset(scope, order.datasetId))?.dataset_type ?? 'filtered_rag';
    const given = findGiven(order, head, datasetType);
    const last = await readFilter(scope, order.documentId);
    const stored = await readPassages(scope, order.documentId);
    const before = stored.filter(({ deleted }) => !deleted);
    const unread = findUnread(order, before, site);
    const filters = { given, last, mustBeSaid: datasetType === 'filtered_rag' };
    const dropped = stored.filter(({ deleted }) => deleted);
    const replaced = { before, dropped, hashed, filters, unread, countTokens };
    const counts = await replacePassages(scope, order, replaced);
    await updateDocument(scope, order.documentId, {
      name: order.name,
      mediaType,
      url: order.url,
      filter: given ?? last ?? undefined,
      passages: counts.added + counts.kept,
    });
    const incomplete = namedOf(unread.addresses);
    const gone = namedOf(site?.gone ?? []);
    if (!(await finishImport(scope, order, { counts, incomplete, gone, struck }))) throw new EndedError();
  };
  await withHost(db, order.hostId, replace, actor).catch(error => {
    if (!(error instanceof EndedError)) throw error;
  });
}

/** Returns the order's filter, or the head's. A filtered dataset takes no doubtful head. */
function findGiven(
  { filter }: OpenImport,
  head: Replacement['head'],
  datasetType: DatasetType,
): PassageFilter | undefined {
  const isTwice = filter !== null && head.filter !== undefined;
  const isDoubtful = head.hasFalseHead === true && filter === null && datasetType === 'filtered_rag';
  if (isTwice || isDoubtful) throw new UnreadableError('front-matter-invalid');
  return filter ?? head.filter;
}

function* hashPassages(passages: readonly Passage[]): Generator<void, HashedPassage[]> {
  const hashed: HashedPassage[] = [];
  for (const passage of passages) {
    const hash = createHash('md5').update(passage.content).digest('hex');
    hashed.push({ ...passage, hash });
    yield;
  }
  return hashed;
}

interface UnreadOfBefore {
  readonly addresses: readonly string[];
  /** Whether a passage of this place stays although it was not read. */
  isKept(place: string): boolean;
}

/**
 * Finds the unread parts of a site that was read before. Throws if they are most of it, or if the address was a site's and is
 * no longer: a sign-in once deleted ten passages.
 */
function findUnread(
  { url, lastUrl }: OpenImport,
  before: readonly StoredPassage[],
  site: SitePages | undefined,
): UnreadOfBefore {
  const places = new Set(before.map(({ place }) => place));
  if (!site) {
    const wasSite = url !== null && url === lastUrl && places.size > 0 && [...places].every(isAddress);
    if (wasSite) throw new UnreadableError('unreachable');
    return { addresses: [], isKept: () => false };
  }
  const { unread, gone, repeated } = site;
  for (const address of gone) places.delete(address);
  const lost = repeated.flatMap(({ addresses, isOfAnother }) => {
    const known = addresses.filter(address => places.has(address));
    return isOfAnother || known.length > 1 ? known : [];
  });
  if (lost.length > places.size / 2) throw new UnreadableError('unreachable');
  const kept = new Set(lost);
  return {
    addresses: [...(unread?.addresses ?? []), ...lost],
    isKept: place => kept.has(place) || unread?.isOf(place) === true,
  };
}

/** The places of a page that is read alone are its headings, and no addresses. */
function isAddress(place: string): boolean {
  return /^https?:\/\//.test(place);
}

interface Passages {
  readonly before: readonly StoredPassage[];
  /** Passages that were deleted by hand, and may come back. */
  readonly dropped: readonly StoredPassage[];
  readonly hashed: readonly HashedPassage[];
  readonly filters: {
    readonly given: PassageFilter | undefined;
    readonly last: PassageFilter | null;
    /** In a common dataset nobody is kept from a passage. */
    readonly mustBeSaid: boolean;
  };
  readonly unread: UnreadOfBefore;
  countTokens(text: string): number;
}

async function replacePassages(
  scope: HostScope,
  order: OpenImport,
  { before, dropped, hashed, filters: { given, last, mustBeSaid }, unread, countTokens }: Passages,
) {
  const stored = new Map(before.map(each => [each.hash, each]));
  const wanted = new Set(hashed.map(({ hash }) => hash));
  // Edits by hand may have made two passages equal: one of them stays.
  const isKept = (each: StoredPassage) =>
    stored.get(each.hash) === each && (wanted.has(each.hash) || unread.isKept(each.place));
  const removed = before.filter(each => !isKept(each));
  const kept = before.length - removed.length;
  const added = hashed
    .map((each, position) => ({ ...each, position }))
    .filter(({ hash }) => !stored.has(hash));
  if (added.length + kept > MAX_PASSAGES) throw new UnreadableError('too-many-passages');
  const moved = hashed.flatMap(({ hash, place }) => {
    const same = stored.get(hash);
    return same && same.place !== place ? [{ id: same.id, place }] : [];
  });
  // An edit that is committed meanwhile may have filtered a passage that goes.
  const gone = await deletePassages(
    scope,
    removed.map(({ id }) => id),
  );
  const isFiltered = last !== null || [...before, ...dropped, ...gone].some(({ filter }) => filter !== null);
  if (mustBeSaid && isFiltered && !given && added.length > 0) throw new UnreadableError('filter-missing');
  if (moved.length > 0) await movePassages(scope, moved);
  if (given) {
    const remaining = [...before.filter(isKept), ...dropped];
    const other = remaining.filter(({ filter }) => !isDeepStrictEqual(filter ?? {}, given));
    await setFilter(
      scope,
      other.map(({ id }) => id),
      given,
    );
  }
  for (let at = 0; at < added.length; at += BATCH_SIZE) {
    const batch = await runInSlices(
      toRows(added.slice(at, at + BATCH_SIZE), given ?? last ?? {}, countTokens),
    );
    const { documentId, datasetId, tokenId, tokenName } = order;
    await insertChunks(scope, { documentId, datasetId, writtenBy: { id: tokenId, name: tokenName } }, batch);
  }
  return { added: added.length, kept, removed: removed.length };
}

function* toRows(
  passages: readonly (Passage & { readonly position: number })[],
  filter: PassageFilter,
  countTokens: (text: string) => number,
) {
  const rows = [];
  for (const { content, place, position } of passages) {
    rows.push({ content, filter, place, position, tokenCount: countTokens(content) });
    yield;
  }
  return rows;
}

function namedOf(addresses: readonly string[]): NamedPages | undefined {
  if (addresses.length === 0) return undefined;
  const pages = addresses.slice(0, MAX_NAMED).map(address => address.slice(0, MAX_URL_LENGTH));
  return { count: addresses.length, pages };
}

interface Finish extends ImportEnd {
  readonly reason?: UnreadableReason;
}

/** Ends the import, and tells of it. Returns false, and tells nothing, if it has ended or its document was deleted. */
export async function finishImport(scope: HostScope, order: OpenImport, end: Finish): Promise<boolean> {
  if (!(await endImport(scope, order.id, end))) return false;
  const { id: jobId, documentId, datasetId } = order;
  const { reason = null, incomplete, gone, struck = 0, counts = { added: 0, kept: 0, removed: 0 } } = end;
  await addEvent(scope, {
    type: 'import.finished',
    data: {
      jobId,
      documentId,
      datasetId,
      reason,
      ...counts,
      ...(incomplete && { incomplete }),
      ...(gone && { gone }),
      ...(struck > 0 && { struck }),
    },
  });
  return true;
}
