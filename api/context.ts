import type { Context, DefaultContext, Middleware } from 'koa';
import type { Token } from '../db/tokens.ts';

/** What the middlewares leave for those after them. */
export interface State {
  requestId: string;
  /** Milliseconds on the clock of the queue's store. */
  arrivedAt: number;
  token?: Token;
  /** What was sent, parsed and not yet checked. */
  body?: unknown;
  /** The text of the body shows that it holds nothing that the database does not take. */
  isStorable?: boolean;
  /** For the access log. */
  operation?: string;
  ignoredFields?: number;
}

export type Ctx = Context & { state: State };
export type Step = Middleware<State, DefaultContext>;
