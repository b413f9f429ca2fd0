import type { Operation } from '../../queues/contract/operation.ts';
import { type OperationName, operationOf } from '../../queues/contract/operations/index.ts';
import type { JobRequest } from '../../queues/transport/queued-job.ts';
import type { Ctx } from '../context.ts';
import { attachmentPlaces, type BytePlaces, documentPlaces } from './cut-document.ts';
import { type AttachmentStore, uploadAttachments } from './upload-attachments.ts';
import { type UploadStore, uploadDocument } from './upload-document.ts';

interface ByteStores {
  readonly storeUpload: UploadStore;
  readonly storeAttachments: AttachmentStore;
}

/** Where the body of the operation may have documents; undefined: nowhere. */
export function bytePlacesOf({ extras = [] }: Operation): BytePlaces | undefined {
  if (extras.includes('upload')) return documentPlaces;
  return extras.includes('attachments') ? attachmentPlaces : undefined;
}

/** The bytes of a body go to the database before the job. */
export async function storeBytes(ctx: Ctx, request: JobRequest, stores: ByteStores): Promise<JobRequest> {
  const { extras = [] } = operationOf(request.operation as OperationName);
  if (extras.includes('upload')) return uploadDocument(ctx, request, stores.storeUpload);
  return extras.includes('attachments') ? uploadAttachments(ctx, request, stores.storeAttachments) : request;
}
