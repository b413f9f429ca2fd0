import type { Refusal } from './failure.ts';
import type { QueueName } from './queues.ts';
import type { Shape } from './shape.ts';
import type { Tag } from './tags.ts';

export const tokenScopes = [
  'reason',
  'manage',
  'report',
  'intake',
  'search',
  'search:write',
  'admin',
] as const;
export type TokenScope = (typeof tokenScopes)[number];

/** The kinds of heavy work. */
export type WorkKind = 'search' | 'report' | 'list' | 'replay';

/** What a request may carry beside its body, where its operation names it in `extras`. */
export interface Extras {
  /** The conversation of the turn is created if it does not exist: the api derived its id. */
  readonly opensConversation: boolean;
  /** The digest of the dialogue by which the next request of the conversation is known, which names none. */
  readonly chatAsked: string;
  /**
   * The document of the body (`content`, `content_base64`), which the database keeps, so that the queue store does not: a larger
   * body is accepted. With the SHA-256 of its bytes a retry with the same Idempotency-Key is told from another request.
   */
  readonly upload: { readonly id: string; readonly digest: string };
  /**
   * The attachments of the body, in its order: the database keeps them, so that the queue store does not, and a larger body is
   * accepted. The SHA-256 is that of the bytes, or of the address; `length`, in bytes, is not known of what is at an address.
   */
  readonly attachments: readonly {
    readonly id: string;
    readonly digest: string;
    readonly length: number | undefined;
  }[];
  /** The source of a record that was signed, and has no token. */
  readonly source: RecordSource;
  /** The base address of the service, for links; absent where it is not known. */
  readonly address: string;
}

export interface RecordSource {
  readonly id: string;
  /** Identifies the signed message and the record in it. Undefined: nothing tells a replay from a new message. */
  readonly message: string | undefined;
  /** `early`: the reply is sent once the record is stored, and the record is mapped after that. */
  readonly ack: 'early' | 'late';
}

export interface Operation<Body = unknown, Data = unknown, Extra extends keyof Extras = keyof Extras> {
  readonly summary: string;
  readonly description?: string;
  /**
   * What it does to what the host has: `adds` keeps all that is there, `changes` may replace or delete. An assistant that calls it
   * as a tool is told.
   */
  readonly effect: 'reads' | 'adds' | 'changes';
  readonly queue: QueueName;
  /** Heavy: of each kind a worker runs only a few at a time, of one host fewer, with as many connections at a time as they say. */
  readonly weight?: { readonly kind: WorkKind; readonly connections: number };
  readonly tag: Tag;
  readonly method: 'GET' | 'POST';
  /** Koa router syntax; `aliases` are other paths to the same operation. */
  readonly path: string;
  readonly aliases?: readonly string[];
  readonly body: Shape<Body>;
  readonly data: Shape<Data>;
  /** Shown in the API document. */
  readonly example: { readonly body: NoInfer<Body>; readonly data: NoInfer<Data> };
  readonly status: 200 | 201 | 202;
  /**
   * `bare`: a success is sent without the envelope. Failures always have the envelope.
   * `health`: like `bare`, and the status is 503 if a check is down or no worker replies in time.
   */
  readonly responseForm?: 'bare' | 'health';
  /** Only if shorter than REQUEST_TIMEOUT_MS. */
  readonly timeLimitMs?: number;
  /**
   * The body is a record that a CRM sends. So:
   * - server errors and timeouts get a 503, because the CRM does not retry after a 4xx;
   * - no field is dropped or cleaned: the record is stored as it was sent;
   * - integers beyond 2^53 are read as strings, because they are ids;
   * - no field of it names the host;
   * - a body is required.
   */
  readonly takesRecords?: boolean;
  /** In addition to those that every operation can give. */
  readonly refusals: readonly Refusal[];
  /** Undefined: any valid token is accepted, and the handler checks the scopes. */
  readonly scope: TokenScope | undefined;
  /** Alternative accepted scope. */
  readonly orScope?: TokenScope;
  /** Only tokens of operators are accepted, and `hostId` of the body chooses the host. */
  readonly isForOperators?: boolean;
  /** `one`: runs on the host of the token or on the chosen host. `all`: runs on every host of the token. */
  readonly hosts: 'one' | 'all';
  /** A success is cached for identical bodies until the object is written to. */
  readonly cache?: ReplyCache;
  /** Whether `Accept: text/event-stream` is supported: the answer is sent while it is generated. */
  readonly mayStream?: boolean;
  readonly extras?: readonly Extra[];
  /** Bytes of the largest answer, where that may be long: before it is asked for, `web` waits until it can hold so much. */
  readonly largestAnswer?: number;
  /** Whether `Prefer: respond-async` is supported. */
  readonly mayRespondAsync?: boolean;
}

export interface ReplyCache {
  readonly seconds: number;
  /** The cache entry belongs to the row of this table whose id is in `idField` of the body. */
  readonly table: 'avatars' | 'conversations';
  readonly idField: string;
}

/** Whether its bodies may have bytes that the database keeps, and so be larger. */
export function takesBytes({ extras = [] }: Pick<Operation, 'extras'>): boolean {
  return extras.includes('upload') || extras.includes('attachments');
}

export function operation<Body, Data, Extra extends keyof Extras = never>(
  declared: Operation<Body, Data, Extra>,
): Operation<Body, Data, Extra> {
  return declared;
}

export type BodyOf<O> = O extends Operation<infer Body, unknown> ? Body : never;
export type DataOf<O> =
  O extends Operation<never, infer Data> ? Data : O extends { data: Shape<infer D> } ? D : never;

export type ExtrasOf<O> = O extends { extras?: readonly (infer Extra extends keyof Extras)[] }
  ? Partial<Pick<Extras, Extra>>
  : never;

/** The caller of the API: read from the token, sent in the job, trusted by the worker. */
export interface Caller {
  readonly tokenId: string;
  readonly tokenName: string;
  readonly scopes: readonly TokenScope[];
  /** One host for an operation with `hosts: 'one'`, otherwise all hosts of the token. */
  readonly hostIds: readonly string[];
}
