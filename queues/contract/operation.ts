import type { Refusal } from './failure.ts';
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

/** Bytes; also the most that one text in a body can have. */
export const LARGEST_BODY = 1_048_576;

/** Work that may take long, or comes in bursts, has a queue of its own so that it never starves the other. */
export const queueNames = ['turns', 'catalog', 'intake', 'search', 'reports'] as const;
export type QueueName = (typeof queueNames)[number];

export interface Operation<Body = unknown, Data = unknown> {
  readonly summary: string;
  readonly description?: string;
  readonly queue: QueueName;
  readonly tag: Tag;
  readonly method: 'GET' | 'POST';
  /** Koa router syntax; `aliases` are other paths to the same operation. */
  readonly path: string;
  readonly aliases?: readonly string[];
  readonly body: Shape<Body>;
  readonly data: Shape<Data>;
  /** For the API page. */
  readonly example: { readonly body: Body; readonly data: Data };
  readonly status: 200 | 201 | 202;
  /**
   * `bare`: a success goes out as its data alone. Refusals have the envelope everywhere.
   * `health`: bare, and 503 where it says that something is down, or where no worker says anything in time.
   */
  readonly answer?: 'bare' | 'health';
  /** Where it is shorter than the setting's. */
  readonly deadlineMs?: number;
  /**
   * Who calls is a workflow that gives up what a 4xx answered, so that trouble of ours, lost time too, is always 503.
   * Its body is a record to the letter: no field is dropped or cleansed, and none names the host.
   */
  readonly takesRecords?: boolean;
  /** Beyond those that every operation can give. */
  readonly refusals: readonly Refusal[];
  /** Undefined: any valid token; the handler looks for itself. */
  readonly scope: TokenScope | undefined;
  /** Another that is as good. */
  readonly orScope?: TokenScope;
  /** `one`: works on the host of the token, or on the one chosen; `all`: on every host of the token. */
  readonly hosts: 'one' | 'all';
  /** A success is given again to the very same body, until its object is written to. */
  readonly cache?: ReplyCache;
  /** Whether `Prefer: respond-async` is honoured. */
  readonly mayRespondAsync?: boolean;
}

export interface ReplyCache {
  readonly seconds: number;
  /** Of these objects the one whose id is in this field of the body. */
  readonly of: 'avatars' | 'conversations';
  readonly field: string;
}

export function operation<Body, Data>(declared: Operation<Body, Data>): Operation<Body, Data> {
  return declared;
}

export type BodyOf<O> = O extends Operation<infer Body, unknown> ? Body : never;
export type DataOf<O> =
  O extends Operation<never, infer Data> ? Data : O extends { data: Shape<infer D> } ? D : never;

/** Who asks: taken from the token, carried in the job, trusted by the worker. */
export interface Caller {
  readonly tokenId: string;
  readonly tokenName: string;
  readonly scopes: readonly TokenScope[];
  /** The one host of a host-bound operation, else all hosts of the token. */
  readonly hostIds: readonly string[];
}
