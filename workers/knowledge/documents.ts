import { randomUUID } from 'node:crypto';
import { findHost } from '../../db/hosts/hosts.ts';
import { findDataset } from '../../db/knowledge/datasets.ts';
import { countOpenImports, insertImport } from '../../db/knowledge/document-imports.ts';
import { hasUpload } from '../../db/knowledge/document-uploads.ts';
import {
  deleteDocument as deleteStored,
  listDocuments as documentsOf,
  findDocument,
  openDocument,
  setDocumentValidity,
} from '../../db/knowledge/documents.ts';
import { listDocumentChanges as changesOf, setRefresh } from '../../db/knowledge/refreshes.ts';
import { setReadsScans } from '../../db/knowledge/scanned-pages.ts';
import { isGiven } from '../../db/knowledge/validity.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import {
  type Failure,
  failure,
  fieldFailure,
  isFailure,
  type Outcome,
} from '../../queues/contract/failure.ts';
import type { MediaType } from '../../queues/contract/operations/document-shape.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { readTimePage } from '../bodies/page.ts';
import { readValidity } from '../bodies/read-validity.ts';
import type { Handler, JobOf } from '../runtime/job.ts';
import { checkFilter } from './chunks.ts';
import { mayShowPictures, type ScanModel, scanModelOf } from './read-scans.ts';

/** Open imports of one host: more would delay the other hosts for long, however fair the queue is. */
const MAX_OPEN_IMPORTS = 1_000;
/** The type until the server's answer tells it. */
const PAGE: MediaType = 'text/html';

/** The order is committed before the answer; a worker of the queue `documents` runs it. */
export function makeImportDocument(scanModel: Omit<ScanModel, 'model'>): Handler<'importDocument'> {
  return async job => {
    const readsScans = job.body.read_scans === true;
    const isSeen = readsScans && (await scanModelOf(scanModel, job.hostId)) !== undefined;
    return job.commit(async scope => {
      const refusal = readsScans ? await findScanRefusal(scope, isSeen) : undefined;
      return refusal ?? orderImport(scope, job);
    });
  };
}

/** `isSeen`: whether the model of the host sees pictures. */
async function findScanRefusal(scope: HostScope, isSeen: boolean): Promise<Failure | undefined> {
  const refuse = (why: string) => fieldFailure('read_scans', 'unsupported', why);
  if (!isSeen) return refuse('needs a model of the host that reads pictures (VISION_MODELS)');
  const host = await findHost(scope);
  return host && !mayShowPictures(host)
    ? refuse('shows pictures to a model, and the host masks what it sends')
    : undefined;
}

async function orderImport(
  scope: HostScope,
  { body, upload, caller }: JobOf<'importDocument'>,
): Promise<Outcome<DataOf<'importDocument'>>> {
  const { dataset_id: datasetId, name, external_key: externalKey, url } = body;
  const mediaType = body.content_type ?? PAGE;
  const filter = body.filter && checkFilter(body.filter);
  if (filter && isFailure(filter)) return filter;
  const validity = await readValidity(scope, body);
  if (isFailure(validity)) return validity;
  const hours = body.refresh_every_hours;
  if (typeof hours === 'number' && url === undefined) return onlyWithUrl;
  if (!(await findDataset(scope, datasetId))) return failure('dataset-not-found');
  // A purge deletes uploads that wait too long in the queue.
  if (upload && !(await hasUpload(scope, upload.id))) return failure('interrupted');
  const documentId = await openDocument(scope, { datasetId, externalKey, name, mediaType, url });
  if (documentId === undefined) return failure('dataset-not-found');
  if (hours !== undefined) await setRefresh(scope, documentId, hours);
  if (body.read_scans !== undefined) await setReadsScans(scope, documentId, body.read_scans);
  // An Idempotency-Key may give a later job the same id while the import is still kept, so the import has an id of its own.
  const jobId = newImportId();
  await insertImport(scope, {
    id: jobId,
    documentId,
    name,
    mediaType,
    url,
    uploadId: upload?.id,
    filter,
    validity: isGiven(validity) ? validity : undefined,
    token: { id: caller.tokenId, name: caller.tokenName },
  });
  if ((await countOpenImports(scope)) > MAX_OPEN_IMPORTS)
    return failure('documents-waiting', { retryAfter: 60 });
  return { code: 202, data: { documentId, jobId } };
}

export const listDocuments: Handler<'listDocuments'> = job =>
  job.read(async scope => {
    const filter = { datasetId: job.body.dataset_id };
    return readTimePage(job, order => documentsOf(scope, filter, order));
  });

const onlyWithUrl = fieldFailure('refresh_every_hours', 'only-with', { values: ['url'] });

export const editDocument: Handler<'editDocument'> = job =>
  job.commit(async scope => {
    const { body } = job;
    const document = await findDocument(scope, body.id);
    if (!document) return failure('document-not-found');
    const [from, until] = [document.valid_from, document.valid_until].map(text => text && new Date(text));
    const validity = await readValidity(scope, body, { from: from || null, until: until || null });
    if (isFailure(validity)) return validity;
    const hours = body.refresh_every_hours;
    if (document.url === undefined && typeof hours === 'number') return onlyWithUrl;
    if (isGiven(validity)) await setDocumentValidity(scope, document.id, validity);
    if (hours !== undefined) await setRefresh(scope, document.id, hours);
    if (body.refresh_now) {
      const ordered = await orderNow(scope, job, document);
      if (ordered) return ordered;
    }
    return { code: 200, data: (await findDocument(scope, document.id)) ?? document };
  });

/** Orders what a person wants to be read now; returns the failure that refuses it. */
async function orderNow(
  scope: HostScope,
  { caller }: JobOf<'editDocument'>,
  { id: documentId, name, url, content_type: mediaType }: DataOf<'editDocument'>,
) {
  if (url === undefined) return fieldFailure('refresh_now', 'only-with', { values: ['url'] });
  const token = { id: caller.tokenId, name: caller.tokenName };
  await insertImport(scope, { id: newImportId(), documentId, name, mediaType, url, token });
  return (await countOpenImports(scope)) > MAX_OPEN_IMPORTS
    ? failure('documents-waiting', { retryAfter: 60 })
    : undefined;
}

const newImportId = () => `k${randomUUID().replaceAll('-', '')}`;

export const listDocumentChanges: Handler<'listDocumentChanges'> = ({ body, read }) =>
  read(async scope => {
    const data = await changesOf(scope, body.id);
    return data ? { code: 200, data } : failure('document-not-found');
  });

export const deleteDocument: Handler<'deleteDocument'> = job =>
  job.commit(async scope => {
    const passages = await deleteStored(scope, job.body.id);
    if (passages === undefined) return failure('document-not-found');
    return { code: 200, data: { id: job.body.id.toLowerCase(), deleted: true, passages } };
  });
