import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Gate } from '../../platform/gate.ts';
import { joinPieces, lengthOfPieces, RawJson } from '../../platform/raw-json.ts';
import { runInSlices } from '../../platform/run-in-slices.ts';
import type { Seal } from '../../platform/seal.ts';
import { type TraceCarrier, traceCarrier } from '../../platform/span.ts';
import type { TurnPiece } from '../contract/answer-piece.ts';
import { isFailure, type Outcome } from '../contract/failure.ts';
import type { Caller, Extras } from '../contract/operation.ts';
import { type QueueName, queues } from '../contract/queues.ts';
import { DEFAULT_SHARE, type HostShare } from './fair-order.ts';
import { type JobData, KEYED_CHANNEL } from './store.ts';

/** A call as the API passes it to the dispatcher. It has the extras that its operation names. */
export interface Request extends Partial<Extras> {
  readonly operation: string;
  readonly queue: QueueName;
  readonly requestId: string;
  readonly caller: Caller;
  readonly body: unknown;
  /** Retries with the same Idempotency-Key share one job. */
  readonly idempotencyKey?: string;
  /** Set by `nameJob`, for a caller that tells the id before the job ends. */
  readonly jobId?: string;
  /** Requested with `Prefer: respond-async`: nobody waits, so the reply must be stored. */
  readonly isAsync?: boolean;
  /** The address to notify when the job ends. */
  readonly callback?: Callback;
  /** Milliseconds on the store's clock. */
  readonly arrivedAt: number;
  readonly timeoutMs: number;
  /** The share of the host in the fair order; default: `DEFAULT_SHARE`. */
  readonly share?: number | undefined;
  /** Aborts when the client disconnects. */
  readonly clientGone: AbortSignal;
  /** Gets pieces while the job runs: none, some or all of them. */
  readonly onPiece?: ((piece: TurnPiece) => void) | undefined;
}

export interface Callback {
  readonly url: string;
  /** The webhook whose secret signs it. */
  readonly webhookId: string;
}

/** The part of a request that its job carries. Like the outcome, it is sealed in the queue store. */
export interface SealedRequest
  extends Omit<Request, 'queue' | 'timeoutMs' | 'share' | 'clientGone' | 'onPiece' | 'jobId'> {
  /** Milliseconds on the store's clock. */
  readonly deadline: number;
  /** Absent if tracing is disabled. */
  readonly trace?: TraceCarrier;
}

export interface QueuedJob {
  readonly jobId: string;
  /** The operation. */
  readonly name: string;
  readonly data: JobData;
  /** See `AddedJob`. */
  readonly hostShare?: HostShare | undefined;
}

/** Makes a job for the queue store: a plain-text part for operators, the rest sealed. */
export async function makeQueuedJob(request: Request, seal: Seal, requester: string): Promise<QueuedJob> {
  const jobId = jobIdOf(request, seal);
  const sealed = sealedPartOf(request);
  return {
    jobId,
    name: request.operation,
    hostShare: hostShareOf(request),
    data: {
      requestId: request.requestId,
      hostId: hostOf(request),
      deadline: sealed.deadline,
      ...bodyMacOf(request, seal),
      sealed: await seal.seal(sealed, jobId),
      replyTo: request.idempotencyKey === undefined ? requester : KEYED_CHANNEL,
      ...(request.onPiece ? { piecesTo: requester } : {}),
    },
  };
}

/** Undefined for a queue without fair order, and for a job of several hosts. */
export function hostShareOf(request: Request): HostShare | undefined {
  const host = hostOf(request);
  if (!queues[request.queue].isFair || host === null) return undefined;
  return { host, share: request.share ?? DEFAULT_SHARE };
}

export function hostOf({ caller: { hostIds } }: Request): string | null {
  return hostIds.length === 1 ? (hostIds[0] ?? null) : null;
}

/** Made for requests with an Idempotency-Key: a retry must have the same body. */
export function bodyMacOf(
  { idempotencyKey, body, description, upload = description, attachments }: Request,
  seal: Seal,
): { bodyMac?: string } {
  if (idempotencyKey === undefined) return {};
  if (upload) return { bodyMac: seal.mac({ body, document: upload.digest }) };
  if (!attachments) return { bodyMac: seal.mac(body) };
  return { bodyMac: seal.mac({ body, attachments: attachments.map(({ digest }) => digest) }) };
}

/** Whether the request repeats an Idempotency-Key with another body. Only requests with a key have a MAC of their body. */
export function isKeyReused(stored: BodyMac, request: BodyMac): boolean {
  return request.bodyMac !== undefined && stored.bodyMac !== request.bodyMac;
}

interface BodyMac {
  readonly bodyMac?: string | null | undefined;
}

function sealedPartOf({
  queue: _queue,
  timeoutMs,
  clientGone: _gone,
  onPiece: _onPiece,
  share: _share,
  jobId: _jobId,
  ...fields
}: Request): SealedRequest {
  const trace = traceCarrier();
  return { deadline: fields.arrivedAt + timeoutMs, ...(trace ? { trace } : {}), ...fields };
}

/**
 * It has letters and no colon: BullMQ gives a meaning to ids of digits only and to colons. With an Idempotency-Key the id depends
 * on the set of hosts, and cannot be predicted without SECRET_KEY, because the id gives access to the reply.
 */
export function jobIdOf({ caller, operation, idempotencyKey, jobId }: Request, seal: Seal): string {
  if (jobId !== undefined) return jobId;
  if (idempotencyKey === undefined) return `k${randomUUID().replaceAll('-', '')}`;
  return `k${seal.nameOf([caller.hostIds.toSorted(), operation, idempotencyKey]).slice(0, 40)}`;
}

/** The name of the job in error responses. */
export function jobReferenceOf(queue: QueueName, jobId: string): { readonly [field: string]: string } {
  return { [queues[queue].jobIdField ?? 'job_id']: jobId };
}

/** The data of a success longer than this is not parsed. */
const LONG = 65_536;
const CODES = [200, 201] as const;
/** Sealing or opening megabytes takes steps of tens of milliseconds. After each, the process does other work for as long. */
const longOnes = new Gate({ maxTotal: 1, maxPerKey: 1 }, { forAll: 1 });
const MEGABYTE = 1_048_576;

/** The owner of a reply; `hostId` is null if the caller has several hosts. */
export interface ReplyOwner {
  readonly jobId: string;
  readonly hostId: string | null;
}

/** Makes the reply of an outcome, whose data may be a `RawJson`. */
export async function sealOutcome(seal: Seal, outcome: Outcome<unknown>, owner: ReplyOwner): Promise<string> {
  const { jobId } = owner;
  if (isFailure(outcome)) return seal.seal(outcome, jobId);
  const { code, data } = outcome;
  if (Array.isArray(data) && data.length > 1)
    return sealOutcome(seal, { code, data: await runInSlices(writeList(data)) }, owner);
  const json =
    data instanceof RawJson
      ? [startOf(code), ...data.pieces, Buffer.from('}')]
      : [Buffer.from(JSON.stringify(outcome))];
  if (lengthOfPieces(json) <= MEGABYTE) return seal.sealPieces(json, jobId);
  const sealed = await longOnes.run(placeOf(owner), () => seal.sealPieces(json, jobId));
  // Sending it is a step of its own.
  await nextTurn();
  return sealed;
}

function placeOf({ hostId }: ReplyOwner) {
  return { key: hostId ?? '' };
}

/** The start of a success, exactly as `JSON.stringify` writes it. */
function startOf(code: number): Buffer {
  return Buffer.from(`{"code":${code},"data":`);
}

/** Takes a step for each entry, because lists have megabytes. */
function* writeList(entries: readonly unknown[]): Generator<void, RawJson> {
  const pieces: Buffer[] = [];
  let text = '[';
  for (const [at, entry] of entries.entries()) {
    text += `${at > 0 ? ',' : ''}${JSON.stringify(entry) ?? null}`;
    if (text.length < LONG) continue;
    pieces.push(Buffer.from(text));
    text = '';
    yield;
  }
  return new RawJson([...pieces, Buffer.from(`${text}]`)]);
}

/** Reads the outcome of a job from its reply; the data of a long success is a `RawJson`. */
export async function openOutcome(seal: Seal, sealed: string, owner: ReplyOwner): Promise<Outcome<unknown>> {
  const openIt = () => seal.openPieces(sealed, owner.jobId);
  const json = await (sealed.length > MEGABYTE ? longOnes.run(placeOf(owner), openIt) : openIt());
  const [first = Buffer.alloc(0), ...rest] = json;
  for (const code of lengthOfPieces(json) > LONG ? CODES : []) {
    const start = startOf(code);
    if (!first.subarray(0, start.length).equals(start)) continue;
    const pieces = [first.subarray(start.length), ...rest];
    pieces.push((pieces.pop() as Buffer).subarray(0, -1));
    return { code, data: new RawJson(pieces) };
  }
  return JSON.parse(joinPieces(json).toString()) as Outcome<unknown>;
}
