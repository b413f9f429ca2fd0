import type { Db } from '../../db/connection.ts';
import { hastenComparison } from '../../db/knowledge/contradictions.ts';
import {
  endImport,
  type ImportEnd,
  type KnownPage,
  type NamedPages,
  type OpenImport,
} from '../../db/knowledge/document-imports.ts';
import {
  deletePassages,
  lockDocument,
  readGiven,
  readPassages,
  updateDocument,
} from '../../db/knowledge/documents.ts';
import { noteEnd } from '../../db/knowledge/refreshes.ts';
import { setScans } from '../../db/knowledge/scanned-pages.ts';
import { type HostScope, withHost } from '../../db/with-hosts.ts';
import { MAX_URL_LENGTH, type UnreadableReason } from '../../queues/contract/operations/document-shape.ts';
import { addEvent } from '../runtime/add-event.ts';
import { UnreadableError } from './document-kind.ts';

/*
 * An import ends once, in the transaction of what it changes, and is told with it.
 *
 * What nobody ordered is doubted: where it leaves less than half of a document, or nothing, the document stays as it is until that
 * happens a second time in a row, or a person orders the import. A page of maintenance leaves one passage of forty.
 */

/** This many addresses of pages are named, each cut at the length of a URL. */
const MAX_NAMED = 50;

/** Thrown when another run of this import ended it first. */
class EndedError extends Error {}

/** Ends the import in the transaction of what it changes, unless it is not to go on. */
export async function endOnce(
  db: Db,
  order: OpenImport,
  change: (scope: HostScope) => Promise<Finish>,
): Promise<void> {
  const { tokenId, tokenName } = order;
  const actor = { kind: 'token', tokenId, name: tokenName, operation: 'importDocument' } as const;
  const changeAndEnd = async (scope: HostScope) => {
    const state = await lockDocument(scope, order);
    // The import was deleted with its document.
    if (state === undefined) return;
    if (state !== 'current') throw new UnreadableError(state);
    if (!(await finishImport(scope, order, await change(scope)))) throw new EndedError();
    await hastenComparison(scope, order.documentId);
  };
  await withHost(db, order.hostId, changeAndEnd, actor).catch(error => {
    if (!(error instanceof EndedError)) throw error;
  });
}

/** Ends an import whose address is as it was. */
export function storeUnchanged(db: Db, order: OpenImport): Promise<void> {
  return endOnce(db, order, async scope => {
    const stored = await readPassages(scope, order.documentId);
    return { counts: { added: 0, kept: stored.filter(({ deleted }) => !deleted).length, removed: 0 } };
  });
}

/** Removes all passages of a document whose address, or all of whose pages, are gone. */
export function storeGone(db: Db, order: OpenImport): Promise<void> {
  return endOnce(db, order, async scope => {
    const before = (await readPassages(scope, order.documentId)).filter(({ deleted }) => !deleted);
    if (before.length === 0) return { reason: 'gone' };
    await deletePassages(
      scope,
      before.map(({ id }) => id),
    );
    const { name, url } = order;
    const { filter } = await readGiven(scope, order.documentId);
    const state = {
      name,
      mediaType: order.mediaType,
      url,
      filter: filter ?? undefined,
      validity: {},
      passages: 0,
    };
    await updateDocument(scope, order.documentId, state);
    await setScans(scope, order.documentId, { pages: [] });
    const pages = [...new Set(before.map(({ place }) => place).filter(isAddress))];
    const gone = namedOf(pages.length > 0 || url === null ? pages : [url]);
    return { counts: { added: 0, kept: 0, removed: before.length }, gone, pages: [] };
  });
}

/** Whether the last import, which nobody ordered either, was doubted. */
export function isHeld({ isAutomatic, lastTrouble }: OpenImport): boolean {
  return isAutomatic && (lastTrouble === 'shrunk' || lastTrouble === 'gone');
}

/** The places of a page that is read alone are its headings, and no addresses. */
export function isAddress(place: string): boolean {
  return /^https?:\/\//.test(place);
}

export function namedOf(addresses: readonly string[]): NamedPages | undefined {
  if (addresses.length === 0) return undefined;
  const pages = addresses.slice(0, MAX_NAMED).map(address => address.slice(0, MAX_URL_LENGTH));
  return { count: addresses.length, pages };
}

interface Finish extends ImportEnd {
  readonly reason?: UnreadableReason;
  readonly pages?: readonly KnownPage[];
  readonly retryAfterMs?: number | undefined;
}

/** Whose end says nothing of the document. */
const passing: ReadonlySet<UnreadableReason | null> = new Set(['superseded', 'dataset-deleted'] as const);

/** Ends the import, and tells of it. Returns false, and tells nothing, if it has ended or its document was deleted. */
export async function finishImport(scope: HostScope, order: OpenImport, end: Finish): Promise<boolean> {
  if (!(await endImport(scope, order.id, end))) return false;
  const { id: jobId, documentId, datasetId, isAutomatic } = order;
  const { reason = null, incomplete, gone, struck = 0, scans } = end;
  const { counts = { added: 0, kept: 0, removed: 0 } } = end;
  const isNew = !passing.has(reason) && (await noteEnd(scope, { ...end, documentId, isAutomatic }));
  const pages = { ...(incomplete && { incomplete }), ...(gone && { gone }) };
  const data = { jobId, documentId, datasetId, reason, ...counts, ...pages };
  if (!isAutomatic)
    await addEvent(scope, {
      type: 'import.finished',
      data: { ...data, ...(struck > 0 && { struck }), ...(scans && { scans }) },
    });
  else if (isNew) await addEvent(scope, { type: 'document.changed', data });
  return true;
}
