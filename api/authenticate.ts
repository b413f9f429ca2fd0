import type { Token } from '../db/tokens.ts';
import { failure } from '../queues/contract/failure.ts';
import type { Operation, TokenScope } from '../queues/contract/operation.ts';
import type { ApiMiddleware, Ctx } from './context.ts';
import { RefusalError } from './envelope.ts';

export type TokenFinder = (text: string) => Promise<Token | undefined>;

/** Responds with 401 unless the token is valid, unexpired and not revoked. */
export function makeAuthentication(findToken: TokenFinder): ApiMiddleware {
  return async (ctx, next) => {
    const text = bearerOf(ctx);
    const token = text === undefined ? undefined : await findToken(text);
    if (!token || token.expired || token.revoked) {
      ctx.set('WWW-Authenticate', 'Bearer');
      throw new RefusalError(failure('unauthorized'));
    }
    ctx.state.token = token;
    return next();
  };
}

/** Responds with 403 unless the token has a required scope, and is of operators where the operation is for them. */
export function makeScopeGuard({ scope, orScope, isForOperators = false }: Operation): ApiMiddleware {
  return (ctx, next) => {
    const isAmong = (requested: TokenScope | undefined) =>
      requested !== undefined && tokenOf(ctx).scopes.includes(requested);
    if (scope !== undefined && !isAmong(scope) && !isAmong(orScope))
      throw new RefusalError(failure('forbidden'));
    if (isForOperators && tokenOf(ctx).kind !== 'operator') throw new RefusalError(failure('operators-only'));
    return next();
  };
}

/** The secret in the header `Authorization`. */
export function bearerOf(ctx: Ctx): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(ctx.get('authorization'))?.[1];
}

/** The token that `makeAuthentication` accepted. */
export function tokenOf(ctx: Ctx): Token {
  const { token } = ctx.state;
  if (!token) throw new Error('no token: makeAuthentication must run first');
  return token;
}
