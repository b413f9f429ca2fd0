import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Db } from '../../db/connection.ts';
import { insertChunks } from '../../db/knowledge/chunks.ts';
import { type DatasetType, findDataset } from '../../db/knowledge/datasets.ts';
import { type KnownPage, type OpenImport } from '../../db/knowledge/document-imports.ts';
import {
  deletePassages,
  movePassages,
  readGiven,
  readPassages,
  type StoredPassage,
  setFilter,
  updateDocument,
} from '../../db/knowledge/documents.ts';
import { type ScannedPage, setScans } from '../../db/knowledge/scanned-pages.ts';
import { setValidity, type Validity } from '../../db/knowledge/validity.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { runInSlices } from '../../platform/run-in-slices.ts';
import type { MediaType, Scans } from '../../queues/contract/operations/document-shape.ts';
import type { DocumentText } from '../domain/documents/block.ts';
import type { Passage } from '../domain/documents/cut-passages.ts';
import type { PassageFilter } from '../domain/passage-filter.ts';
import { loadCountTokens } from '../model/count-tokens.ts';
import { UnreadableError } from './document-kind.ts';
import { endOnce, isAddress, isHeld, namedOf } from './end-import.ts';
import type { PageVersion, SitePages } from './read-site.ts';

/*
 * Replaces the passages of a document, and ends the import, in one transaction: a reader sees either all old passages or all
 * new ones. Only differences are written: an old passage with the same text keeps its id, its embedding and its place in the
 * index.
 */

/** Limits one document. */
export const MAX_PASSAGES = 20_000;
/** Rows of one statement. */
const BATCH_SIZE = 200;

interface Replacement {
  readonly passages: readonly Passage[];
  readonly mediaType: MediaType;
  /** Undefined for a single document. Passages of unread parts of a site stay. */
  readonly site?: SitePages | undefined;
  readonly head: DocumentText;
  readonly struck?: number | undefined;
  readonly versions?: readonly PageVersion[] | undefined;
  readonly retryAfterMs?: number;
  readonly scans?: { readonly scans?: Scans | undefined; readonly pages: readonly ScannedPage[] };
}

interface HashedPassage extends Passage {
  readonly hash: string;
}

export async function storePassages(
  db: Db,
  order: OpenImport,
  {
    passages,
    mediaType,
    site,
    struck = 0,
    head,
    versions = [],
    retryAfterMs,
    scans = { pages: [] },
  }: Replacement,
): Promise<void> {
  const hashed = await runInSlices(hashPassages(passages));
  const countTokens = await loadCountTokens();
  await endOnce(db, order, async scope => {
    // A dataset of unknown type counts as a filtered one.
    const datasetType = (await findDataset(scope, order.datasetId))?.dataset_type ?? 'filtered_rag';
    const given = findGiven(order, head, datasetType);
    const last = await readGiven(scope, order.documentId);
    const stored = await readPassages(scope, order.documentId);
    const before = stored.filter(({ deleted }) => !deleted);
    const unread = findUnread(order, before, site);
    const filters = { given, last: last.filter, mustBeSaid: datasetType === 'filtered_rag' };
    const validity = { given: validityOf(order), last: last.validity };
    const known = knownOf(order, site);
    const dropped = stored.filter(({ deleted }) => deleted);
    const replaced = { before, dropped, hashed, filters, validity, unread, known, countTokens };
    const counts = await replacePassages(scope, order, replaced);
    if (!order.isAutomatic || counts.added + counts.removed > 0)
      await updateDocument(scope, order.documentId, {
        name: order.name,
        mediaType,
        url: order.url,
        filter: given ?? last.filter ?? undefined,
        validity: validity.given,
        passages: counts.added + counts.kept,
      });
    await setScans(scope, order.documentId, scans);
    const incomplete = namedOf(unread.addresses);
    const gone = namedOf(site?.gone ?? []);
    const pages = [...known.values(), ...toKnownPages(versions, hashed, unread)];
    return { counts, incomplete, gone, struck, pages, retryAfterMs, scans: scans.scans };
  });
}

function validityOf({ validity }: OpenImport): Validity {
  const at = (text: string | null | undefined) => text && new Date(text);
  return validity ? ({ from: at(validity.from), until: at(validity.until) } as Validity) : {};
}

/** What is known of the pages that were not read because they are as they were. */
function knownOf({ pages }: OpenImport, site: SitePages | undefined): ReadonlyMap<string, KnownPage> {
  const unchanged = new Set(site?.unchanged);
  return new Map(pages?.filter(({ address }) => unchanged.has(address)).map(page => [page.address, page]));
}

/** A page of which former passages stay is read again. */
function toKnownPages(
  versions: readonly PageVersion[],
  hashed: readonly HashedPassage[],
  { addresses }: UnreadOfBefore,
): KnownPage[] {
  const unread = new Set(addresses);
  const byPlace = new Map<string, string[]>();
  for (const { place, alsoIn = [], hash } of hashed)
    for (const each of [place, ...alsoIn]) {
      const hashes = byPlace.get(each);
      if (hashes) hashes.push(hash);
      else byPlace.set(each, [hash]);
    }
  return versions
    .filter(({ address }) => !unread.has(address))
    .map(version => ({ ...version, passages: byPlace.get(version.address) ?? [] }));
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
    // A page that had frames names itself among its places; a sitemap does not.
    const wasSite =
      url !== null && url === lastUrl && !places.has(url) && places.size > 0 && [...places].every(isAddress);
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
  readonly validity: { readonly given: Validity; readonly last: Validity };
  readonly unread: UnreadOfBefore;
  /** Pages that are as they were. */
  readonly known: ReadonlyMap<string, KnownPage>;
  countTokens(text: string): number;
}

async function replacePassages(scope: HostScope, order: OpenImport, passages: Passages) {
  const { before, dropped, hashed, filters, validity, unread, known, countTokens } = passages;
  const { given, last, mustBeSaid } = filters;
  const stored = new Map(before.map(each => [each.hash, each]));
  const wanted = new Set(hashed.map(({ hash }) => hash));
  // A passage may stand on several pages, and has the place of one.
  const stands = new Map(
    [...known.values()].flatMap(page => page.passages.map(hash => [hash, page.address])),
  );
  // Edits by hand may have made two passages equal: one of them stays.
  const isKept = (each: StoredPassage) =>
    stored.get(each.hash) === each &&
    (wanted.has(each.hash) || stands.has(each.hash) || known.has(each.place) || unread.isKept(each.place));
  const removed = before.filter(each => !isKept(each));
  const kept = before.length - removed.length;
  const added = hashed
    .map((each, position) => ({ ...each, position }))
    .filter(({ hash }) => !stored.has(hash));
  if (added.length + kept > MAX_PASSAGES) throw new UnreadableError('too-many-passages');
  if (order.isAutomatic && !isHeld(order) && isShrunk(before, [...before.filter(isKept), ...added]))
    throw new UnreadableError('shrunk');
  const moved = listMoved(passages, stands);
  // An edit that is committed meanwhile may have filtered a passage that goes.
  const gone = await deletePassages(
    scope,
    removed.map(({ id }) => id),
  );
  const isFiltered = last !== null || [...before, ...dropped, ...gone].some(({ filter }) => filter !== null);
  if (mustBeSaid && isFiltered && !given && added.length > 0) throw new UnreadableError('filter-missing');
  if (moved.length > 0) await movePassages(scope, moved);
  const remaining = [...before.filter(isKept), ...dropped];
  await setValidity(
    scope,
    remaining.map(({ id }) => id),
    validity.given,
  );
  if (given) {
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
    const { from = validity.last.from, until = validity.last.until } = validity.given;
    const writtenBy = { id: tokenId, name: tokenName };
    await insertChunks(scope, { documentId, datasetId, writtenBy, validity: { from, until } }, batch);
  }
  return { added: added.length, kept, removed: removed.length };
}

/** Whether less than half is left, by the number of passages or by their length. */
function isShrunk(
  before: readonly StoredPassage[],
  after: readonly (Pick<StoredPassage, 'length'> | Pick<Passage, 'content'>)[],
): boolean {
  let length = 0;
  for (const each of before) length += each.length;
  for (const each of after) length -= 2 * ('content' in each ? each.content.length : each.length);
  return after.length < before.length / 2 || length > 0;
}

/** Lists passages that stay and have another place now. */
function listMoved({ before, hashed, known }: Passages, stands: ReadonlyMap<string, string>) {
  const placeOf = new Map(hashed.map(({ hash, place }) => [hash, place]));
  return before.flatMap(({ id, hash, place: former }) => {
    const place = placeOf.get(hash) ?? (known.has(former) ? former : (stands.get(hash) ?? former));
    return place === former ? [] : [{ id, place }];
  });
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
