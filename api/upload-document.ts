import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { type Db, isDatabaseUnavailable } from '../db/connection.ts';
import { insertUpload } from '../db/document-uploads.ts';
import { withHost } from '../db/with-hosts.ts';
import type { OutageLog } from '../platform/outage-log.ts';
import type { Seal } from '../platform/seal.ts';
import { MAX_DOCUMENT_BYTES } from '../queues/contract/body-limit.ts';
import { failure } from '../queues/contract/failure.ts';
import type { BodyOf } from '../queues/contract/operations/index.ts';
import { type JobRequest, jobIdOf } from '../queues/transport/queued-job.ts';
import { RefusalError } from './envelope.ts';

/** Returns the id of the upload; undefined where the host has too many waiting. */
export type UploadStore = (
  request: JobRequest,
  document: { readonly bytes: Buffer; readonly digest: string },
) => Promise<string | undefined>;

export function makeUploadStore(db: Db, seal: Seal, outage: OutageLog): UploadStore {
  return async (request, { bytes, digest }) => {
    const { caller, idempotencyKey } = request;
    const keyed = idempotencyKey === undefined ? undefined : { jobId: jobIdOf(request, seal), digest };
    try {
      return await withHost(db, caller.hostIds[0] ?? '', scope => insertUpload(scope, bytes, keyed));
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      outage.noteFailure(error);
      throw new RefusalError(failure('unavailable'));
    }
  };
}

type Body = BodyOf<'importDocument'>;

/**
 * The request without its document, which the database keeps. Refuses a document that is too large or not in base64, and
 * a body with none or several.
 */
export async function uploadDocument(request: JobRequest, store: UploadStore): Promise<JobRequest> {
  const { content, content_base64: encoded, ...body } = request.body as Body;
  checkChoice(request.body as Body);
  if (body.url !== undefined) return { ...request, body };
  const bytes = encoded === undefined ? Buffer.from(content ?? '') : decodeBase64(encoded);
  if (bytes.length > MAX_DOCUMENT_BYTES) throw new RefusalError(failure('document-too-large'));
  // Other requests may run between the steps of a large document.
  await setImmediate();
  const digest = createHash('sha256').update(bytes).digest('hex');
  const id = await store(request, { bytes, digest });
  if (id === undefined) throw new RefusalError(failure('documents-waiting', { retryAfter: 60 }));
  return { ...request, body, upload: { id, digest } };
}

function checkChoice({ content, content_base64, url, content_type }: Body): void {
  const given = [content, content_base64, url].filter(each => each !== undefined);
  if (given.length !== 1) refuse('content', 'exactly one of content, content_base64 and url is required');
  if (url === undefined && content_type === undefined)
    refuse('content_type', 'is required unless url is given');
  if (url !== undefined && !isAddress(url)) refuse('url', 'must be an http or https URL');
}

function isAddress(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, username, password } = new URL(url);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

/** Node ignores what is not base64: then fewer bytes come out than the text has. */
function decodeBase64(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  const padding = text.endsWith('==') ? 2 : Number(text.endsWith('='));
  const isWhole = text.length % 4 === 0 && bytes.length === (text.length / 4) * 3 - padding;
  if (!isWhole) refuse('content_base64', 'must be base64');
  return bytes;
}

function refuse(path: string, message: string): never {
  throw new RefusalError(failure('body-invalid', { fields: [{ path, message }] }));
}
