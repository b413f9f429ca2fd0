import type { Context, DefaultContext, Middleware } from 'koa';
import type { Token } from '../db/tokens.ts';

/** State that middlewares set for the ones after them. */
export interface State {
  requestId: string;
  /** Milliseconds on the clock of the queue's store. */
  arrivedAt: number;
  token?: Token;
  /** The parsed body, not validated yet. */
  body?: unknown;
  /** True if the raw body has no characters that PostgreSQL rejects. */
  isStorable?: boolean;
  /** For the access log. */
  operation?: string;
  ignoredFields?: number;
}

export type Ctx = Context & { state: State };
export type ApiMiddleware = Middleware<State, DefaultContext>;
