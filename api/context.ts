import type { Context, DefaultContext, Middleware } from 'koa';
import type { Token } from '../db/hosts/tokens.ts';
import type { SigningSource } from '../db/intake/crm-sources.ts';
import type { Held } from '../platform/byte-budget.ts';

/** A body whose signature is right. */
export interface SignedBody {
  readonly source: SigningSource;
  /** Undefined if nothing distinguishes a replay. */
  readonly message: string | undefined;
  /** The body without its content coding. */
  readonly body: Buffer;
}

/** A document that was taken out of its body. */
export interface SentDocument {
  /** Undefined: the text was not base64. */
  readonly bytes: Buffer | undefined;
  /** SHA-256 of the bytes. */
  readonly digest: string;
}

/** State that middlewares set for the ones after them. */
export interface State {
  requestId: string;
  /** Milliseconds on the clock of the queue's store. */
  arrivedAt: number;
  /** For a signed request, it stands for the source. */
  token?: Token;
  signed?: SignedBody;
  /** Aborts when the client disconnects. */
  gone?: AbortSignal;
  /** The bytes that this process holds for the request. */
  held?: Held;
  /** The sent documents, by the marks that replace them in the body. */
  documents?: ReadonlyMap<string, SentDocument>;
  body?: unknown;
  /** True if the raw body has no characters that PostgreSQL rejects. */
  isStorable?: boolean;
  /** Shown in the access log. */
  operation?: string;
  /** The one host of the request. */
  hostId?: string;
  ignoredFields?: readonly string[];
}

export type Ctx = Context & { state: State };
export type ApiMiddleware = Middleware<State, DefaultContext>;
