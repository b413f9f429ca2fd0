import { createHash, randomUUID } from 'node:crypto';
import type { Db } from '../../db/connection.ts';
import { insertAttachments, type NewAttachment } from '../../db/conversations/attachments.ts';
import { announceObjects } from '../../db/conversations/file-objects.ts';
import { findFileRefusal, insertWaitingFiles, type NewFile } from '../../db/conversations/files.ts';
import { insertUpload } from '../../db/knowledge/document-uploads.ts';
import { withHost } from '../../db/with-hosts.ts';
import { type BrokenRule, broken, type FieldError } from '../../platform/field-error.ts';
import { type FileSeal, SEALED_SLICE } from '../../platform/file-seal.ts';
import { type ObjectStore, objectNameOf } from '../../platform/object-store.ts';
import type { OutageLog } from '../../platform/outage-log.ts';
import type { Seal } from '../../platform/seal.ts';
import { MAX_DESCRIPTION_BYTES } from '../../queues/contract/body-limit.ts';
import { failure } from '../../queues/contract/failure.ts';
import type { BodyOf } from '../../queues/contract/operations/index.ts';
import { jobIdOf, type Request } from '../../queues/transport/request.ts';
import type { Ctx } from '../context.ts';
import { refuseField, refuseFields } from '../guards/validate.ts';
import { RefusalError } from '../replies/envelope.ts';
import { makeRefuseOutage, refuseStoreOutage } from '../replies/refuse-outage.ts';

/** Returns the id of the upload; undefined if the host has too many that wait. */
export type UploadStore = (
  request: Request,
  document: { readonly bytes: Buffer; readonly digest: string },
) => Promise<string | undefined>;

export function makeUploadStore(db: Db, seal: Seal, outage: OutageLog): UploadStore {
  const refuseOutage = makeRefuseOutage(outage);
  return async (request, { bytes, digest }) => {
    const { caller, idempotencyKey } = request;
    const keyed = idempotencyKey === undefined ? undefined : { jobId: jobIdOf(request, seal), digest };
    const insert = withHost(db, caller.hostIds[0] ?? '', scope => insertUpload(scope, bytes, keyed));
    return insert.catch(refuseOutage);
  };
}

/** A longer text is none. */
const MAX_ADDRESS_BYTES = 2_000;

type DocumentBody = BodyOf<'importDocument'>;

/** Moves the document from the request to the database. Refuses one that is not in base64, and a body with none or several. */
export async function uploadDocument(ctx: Ctx, request: Request, store: UploadStore): Promise<Request> {
  const { content, content_base64: encoded, ...body } = request.body as DocumentBody;
  checkChoice(request.body as DocumentBody);
  if (body.url !== undefined) return { ...request, body };
  const document = ctx.state.documents?.get(encoded ?? content ?? '');
  if (!document) throw new Error('no document: makeBodyReader must take it out');
  const { bytes, digest } = document;
  if (!bytes) refuseField('content_base64', 'base64');
  const id = await store(request, { bytes, digest });
  if (id === undefined) throw new RefusalError(failure('documents-waiting', { retryAfter: 60 }));
  delete ctx.state.documents;
  ctx.state.held?.change(0);
  return { ...request, body, upload: { id, digest } };
}

/** Moves an OpenAPI file from the request to the database; an address stays in the body. */
export async function uploadDescription(ctx: Ctx, request: Request, store: UploadStore): Promise<Request> {
  const { openapi, ...body } = request.body as BodyOf<'readOpenApi'>;
  const document = ctx.state.documents?.get(openapi ?? '');
  if (!document?.bytes) return request;
  const { bytes, digest } = document;
  if (bytes.length === 0) refuseField('openapi', 'not-empty');
  if (bytes.length > MAX_DESCRIPTION_BYTES)
    refuseField('openapi', 'max-length', { limit: MAX_DESCRIPTION_BYTES });
  const text = bytes.length <= MAX_ADDRESS_BYTES ? bytes.toString() : '';
  if (isAddress(text)) return { ...request, body: { ...body, openapi: text } };
  const id = await store(request, { bytes, digest });
  if (id === undefined) throw new RefusalError(failure('documents-waiting', { retryAfter: 60 }));
  delete ctx.state.documents;
  ctx.state.held?.change(0);
  return { ...request, body, description: { id, digest } };
}

function checkChoice({ content, content_base64, url, content_type }: DocumentBody): void {
  const given = [content, content_base64, url].filter(each => each !== undefined);
  if (given.length !== 1)
    refuseField('content', 'exactly-one', { values: ['content', 'content_base64', 'url'] });
  if (url === undefined && content_type === undefined)
    refuseField('content_type', 'required', 'is required unless url is given');
  if (url !== undefined && !isAddress(url)) refuseField('url', 'url', 'must be an http or https URL');
}

/** Whether it is an http or https URL without a user and password. */
export function isAddress(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, username, password } = new URL(url);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

/** An attachment: its bytes, or undefined if it is at an address. */
interface SentAttachment {
  readonly bytes: Buffer | undefined;
  readonly digest: string;
}

/** Returns the ids in the same order; undefined if turns of the host have too many bytes attached. */
export type AttachmentStore = (
  request: Request,
  attachments: readonly SentAttachment[],
) => Promise<string[] | undefined>;

export function makeAttachmentStore(db: Db, seal: Seal, outage: OutageLog): AttachmentStore {
  const refuseOutage = makeRefuseOutage(outage);
  return async (request, attachments) => {
    const { caller, idempotencyKey, chat } = request;
    const conversationId = chat?.conversationId ?? (request.body as TurnBody).conversationId;
    const jobId = idempotencyKey === undefined ? undefined : jobIdOf(request, seal);
    const kept = attachments.map(
      ({ bytes, digest }, at): NewAttachment => ({ content: bytes, key: `${at} ${digest}` }),
    );
    const insert = withHost(db, caller.hostIds[0] ?? '', scope =>
      insertAttachments(scope, conversationId, kept, jobId),
    );
    return insert.catch(refuseOutage);
  };
}

export interface FilePlaces {
  readonly files: FileSeal;
  /** Undefined: they lie in the database. */
  readonly objects: ObjectStore | undefined;
}

/** The same for files of a staff member, which are kept: web seals them while it has them. */
export function makeFileStore(
  db: Db,
  seal: Seal,
  { files, objects }: FilePlaces,
  outage: OutageLog,
): AttachmentStore {
  const refuseOutage = makeRefuseOutage(outage);
  return async (request, sent) => {
    const { caller, idempotencyKey } = request;
    const { conversationId, attachments = [] } = request.body as BodyOf<'appendMessage'>;
    const sealed: NewFile[] = [];
    for (const [at, { bytes, digest }] of sent.entries()) {
      if (!bytes) throw new Error('a file without bytes: its shape must require them');
      const id =
        idempotencyKey === undefined ? randomUUID() : uuidOf(`${jobIdOf(request, seal)} ${at} ${digest}`);
      sealed.push({ id, name: attachments[at]?.name, ...(await files.seal(bytes, id)) });
    }
    const hostId = caller.hostIds[0] ?? '';
    const put = objects ? await putObjects(db, hostId, sealed, objects).catch(refuseOutage) : sealed;
    const refusal =
      typeof put === 'string'
        ? put
        : await withHost(db, hostId, scope => insertWaitingFiles(scope, conversationId, put)).catch(
            refuseOutage,
          );
    if (refusal === 'files-full') throw new RefusalError(failure(refusal));
    return refusal ? undefined : sealed.map(({ id }) => id);
  };
}

/** Puts their sealed bytes where they stay, and returns the files with their beginnings; or why they are refused. */
async function putObjects(
  db: Db,
  hostId: string,
  sealed: readonly NewFile[],
  objects: ObjectStore,
): Promise<NewFile[] | 'attachments-waiting' | 'files-full'> {
  const ids = await withHost(
    db,
    hostId,
    async scope => (await findFileRefusal(scope, sealed)) ?? announceObjects(scope, sealed.length),
  );
  if (typeof ids === 'string') return ids;
  const put: NewFile[] = [];
  for (const [at, file] of sealed.entries()) {
    const objectId = ids[at] ?? '';
    await objects.put(objectNameOf({ hostId, objectId }), file.content).catch(refuseStoreOutage);
    put.push({ ...file, objectId, content: file.content.subarray(0, SEALED_SLICE) });
  }
  return put;
}

/** Equal for repeats of a request with a key, and different for any other request. */
function uuidOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

type TurnBody = BodyOf<'reason'>;
type Attachment = NonNullable<TurnBody['attachments']>[number];

/**
 * Moves the bytes of attachments from the request to the database. Refuses an attachment without bytes or address, and one with
 * both. `pathOf`: where the client sent it.
 */
export async function uploadAttachments(
  ctx: Ctx,
  request: Request,
  store: AttachmentStore,
  pathOf = (at: number) => `attachments[${at}]`,
): Promise<Request> {
  const { attachments, ...body } = request.body as TurnBody;
  if (!attachments) return request;
  const errors: FieldError[] = [];
  const sent = attachments.map((attachment, at): SentAttachment => {
    const found = readAttachment(ctx, attachment);
    if (!('rule' in found)) return found;
    errors.push({ path: pathOf(at), ...found });
    return { bytes: undefined, digest: '' };
  });
  if (errors.length > 0) refuseFields(errors);
  const ids = await store(request, sent);
  if (!ids) throw new RefusalError(failure('attachments-waiting', { retryAfter: 60 }));
  delete ctx.state.documents;
  ctx.state.held?.change(0);
  const described = attachments.map(({ content_base64: _bytes, ...attachment }) => attachment);
  const stored = sent.map(({ digest, bytes }, at) => ({ id: ids[at] ?? '', digest, length: bytes?.length }));
  return { ...request, body: { ...body, attachments: described }, attachments: stored };
}

/** Returns what is wrong with it, if anything is. */
function readAttachment(ctx: Ctx, { content_base64: encoded, url }: Attachment): SentAttachment | BrokenRule {
  if ((encoded === undefined) === (url === undefined))
    return broken('exactly-one', { values: ['content_base64', 'url'] });
  if (url !== undefined) {
    if (!isAddress(url)) return broken('url', 'has a url that is not an http or https URL');
    return { bytes: undefined, digest: createHash('sha256').update(url).digest('hex') };
  }
  const document = ctx.state.documents?.get(encoded ?? '');
  if (!document) throw new Error('no bytes: makeBodyReader must take them out');
  const { bytes, digest } = document;
  if (!bytes) return broken('base64', 'has a content_base64 that is not base64');
  return bytes.length === 0 ? broken('not-empty', 'is empty') : { bytes, digest };
}
