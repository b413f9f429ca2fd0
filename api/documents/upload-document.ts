import type { Db } from '../../db/connection.ts';
import { insertUpload } from '../../db/knowledge/document-uploads.ts';
import { withHost } from '../../db/with-hosts.ts';
import type { OutageLog } from '../../platform/outage-log.ts';
import type { Seal } from '../../platform/seal.ts';
import { failure } from '../../queues/contract/failure.ts';
import type { BodyOf } from '../../queues/contract/operations/index.ts';
import { type JobRequest, jobIdOf } from '../../queues/transport/queued-job.ts';
import type { Ctx } from '../context.ts';
import { refuseField } from '../guards/validate.ts';
import { RefusalError } from '../replies/envelope.ts';
import { makeRefuseOutage } from '../replies/refuse-outage.ts';

/** Returns the id of the upload; undefined where the host has too many waiting. */
export type UploadStore = (
  request: JobRequest,
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

type Body = BodyOf<'importDocument'>;

/** The request without its document, which the database keeps. Refuses one that is not in base64, and a body with none or several. */
export async function uploadDocument(ctx: Ctx, request: JobRequest, store: UploadStore): Promise<JobRequest> {
  const { content, content_base64: encoded, ...body } = request.body as Body;
  checkChoice(request.body as Body);
  if (body.url !== undefined) return { ...request, body };
  const document = ctx.state.documents?.get(encoded ?? content ?? '');
  if (!document) throw new Error('no document: makeBodyReader must take it out');
  const { bytes, digest } = document;
  if (!bytes) refuseField('content_base64', 'must be base64');
  const id = await store(request, { bytes, digest });
  if (id === undefined) throw new RefusalError(failure('documents-waiting', { retryAfter: 60 }));
  delete ctx.state.documents;
  ctx.state.held?.change(0);
  return { ...request, body, upload: { id, digest } };
}

function checkChoice({ content, content_base64, url, content_type }: Body): void {
  const given = [content, content_base64, url].filter(each => each !== undefined);
  if (given.length !== 1)
    refuseField('content', 'exactly one of content, content_base64 and url is required');
  if (url === undefined && content_type === undefined)
    refuseField('content_type', 'is required unless url is given');
  if (url !== undefined && !isAddress(url)) refuseField('url', 'must be an http or https URL');
}

/** Whether it is an http or https URL, without a user and password. */
export function isAddress(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, username, password } = new URL(url);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}
