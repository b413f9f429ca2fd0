import type { SigningSource } from '../db/intake/crm-sources.ts';
import type { ByteBudget } from '../platform/byte-budget.ts';
import { Gate } from '../platform/gate.ts';
import { failure, type Outcome } from '../queues/contract/failure.ts';
import type { Caller, Operation } from '../queues/contract/operation.ts';
import { type OperationName, operationOf } from '../queues/contract/operations/index.ts';
import { queues } from '../queues/contract/queues.ts';
import { type Dispatcher, refuseLate } from '../queues/transport/dispatcher.ts';
import type { Request } from '../queues/transport/request.ts';
import { baseAddressOf } from './base-address.ts';
import type { Notices } from './console/notices.ts';
import type { ApiMiddleware, Ctx } from './context.ts';
import {
  type AttachmentStore,
  type UploadStore,
  uploadAttachments,
  uploadDescription,
  uploadDocument,
} from './documents/store-uploads.ts';
import {
  attachmentPlaces,
  type BytePlaces,
  descriptionPlaces,
  documentPlaces,
} from './documents/take-documents.ts';
import type { TokenFinder } from './guards/authenticate.ts';
import { callerOf, hostNamesIn, shareOf } from './guards/host-choice.ts';
import { timeLimitOf } from './guards/time-limit.ts';
import { validateBody, validateRecord } from './guards/validate.ts';
import type { ChatFollower } from './openai/chat-history.ts';
import type { CallbackFinder } from './replies/callback.ts';
import { makeGoneSignal, readRequestOptions } from './request-options.ts';
import type { SignatureCheck, SignatureRefusal } from './signed-intake/signature-check.ts';

export interface SignatureParts extends SignatureCheck {
  readonly findSource: SourceFinder;
  onRefused(reason: SignatureRefusal): void;
}

export type SourceFinder = (address: string) => Promise<SigningSource | undefined>;

export interface RouteParts {
  readonly dispatcher: Dispatcher;
  readonly findToken: TokenFinder;
  readonly findCallback: CallbackFinder;
  readonly storeUpload: UploadStore;
  readonly storeAttachments: AttachmentStore;
  /** The same for files of staff members. */
  readonly storeFiles: AttachmentStore;
  readonly followChat: ChatFollower;
  readonly heldBytes: ByteBudget;
  readonly rateLimit: ApiMiddleware;
  readonly signatures: SignatureParts;
  readonly notices: Notices;
  readonly timeoutMs: number;
  /** Where people reach the service. */
  readonly publicUrl: string | undefined;
  readonly version: string;
  /** Logs an error that is none of the caller's. */
  onBug(error: unknown, requestId: string): void;
}

type RequestParts = Pick<RouteParts, 'timeoutMs' | 'publicUrl'>;

/** Returns the validated request for the dispatcher, on hosts that the token allows. */
export function readRequest(ctx: Ctx, name: OperationName, parts: RouteParts): Request {
  const sent = operationOf(name).method === 'GET' ? { ...ctx.query, ...ctx['params'] } : ctx.state.body;
  return validateRequest(ctx, name, sent, parts);
}

/** The same for one part of the body. */
export function validateRequest(ctx: Ctx, name: OperationName, sent: unknown, parts: RequestParts): Request {
  const operation = operationOf(name);
  const body = operation.takesRecords
    ? validateRecord(operation.body, sent)
    : validateBody(ctx, operation.body, sent);
  const caller = callerOf(
    ctx,
    operation,
    operation.takesRecords ? {} : { ...hostNamesIn(sent), ...(body as object) },
  );
  return { ...makeRequest(ctx, name, caller, body, parts), ...readRequestOptions(ctx, operation) };
}

/** Takes a validated body. The result lacks the options that headers of the request may set. */
export function makeRequest(
  ctx: Ctx,
  name: OperationName,
  caller: Caller,
  body: Request['body'],
  { timeoutMs, publicUrl }: RequestParts,
): Request {
  const operation = operationOf(name);
  const address = operation.extras?.includes('address') ? baseAddressOf(ctx, publicUrl) : undefined;
  return {
    operation: name,
    queue: operation.queue,
    requestId: ctx.state.requestId,
    arrivedAt: ctx.state.arrivedAt,
    timeoutMs: timeLimitOf(operation, timeoutMs).timeLimitMs,
    caller,
    share: shareOf(ctx, caller),
    body,
    ...(address === undefined ? {} : { address }),
    clientGone: (ctx.state.gone ??= makeGoneSignal(ctx)),
  };
}

export type Ask = (request: Request) => Promise<Outcome<unknown>>;

/** More would only lengthen the queue for other tokens: their jobs take milliseconds, and a worker computes a few at a time. */
const MAX_IN_FLIGHT = 16;

/**
 * Asks a worker. A queue without a fair order is first come, first served, so each token has only this many requests in it at a
 * time, and its others wait here.
 */
export function makeAsk(dispatcher: Pick<Dispatcher, 'ask' | 'startLimit'>): Ask {
  const gate = new Gate({ maxTotal: Number.POSITIVE_INFINITY, maxPerKey: MAX_IN_FLIGHT });
  return async request => {
    if (queues[request.queue].isFair) return dispatcher.ask(request);
    const key = `${request.queue} ${request.caller.tokenId}`;
    return gate
      .run({ key, startLimit: () => dispatcher.startLimit(request) }, () =>
        // Its client may have disconnected while it waited.
        request.clientGone.aborted ? failure('interrupted') : dispatcher.ask(request),
      )
      .catch(refuseLate);
  };
}

/** The places of a body that may hold documents; undefined if there are none. */
export function bytePlacesOf({ extras = [] }: Operation): BytePlaces | undefined {
  if (extras.includes('upload')) return documentPlaces;
  if (extras.includes('description')) return descriptionPlaces;
  return extras.includes('attachments') ? attachmentPlaces : undefined;
}

/** Stores the bytes of a body in the database before the job exists. */
export async function storeBytes(ctx: Ctx, request: Request, stores: RouteParts): Promise<Request> {
  const { extras = [] } = operationOf(request.operation as OperationName);
  if (extras.includes('upload')) return uploadDocument(ctx, request, stores.storeUpload);
  if (extras.includes('description')) return uploadDescription(ctx, request, stores.storeUpload);
  if (!extras.includes('attachments')) return request;
  const store = request.operation === 'appendMessage' ? stores.storeFiles : stores.storeAttachments;
  return uploadAttachments(ctx, request, store);
}
