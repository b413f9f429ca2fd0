import type { Token, TokenHost } from '../../db/hosts/tokens.ts';
import { failure } from '../../queues/contract/failure.ts';
import type { Operation, TokenScope } from '../../queues/contract/operation.ts';
import type { ApiMiddleware, Ctx } from '../context.ts';
import { RefusalError } from '../replies/envelope.ts';

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

/** Responds with 403 unless the token has a required scope, is of operators where the operation is for them, and has a host that is enabled. */
export function makeScopeGuard(operation: Operation): ApiMiddleware {
  const { scope, orScope, isForOperators = false } = operation;
  return (ctx, next) => {
    const isAmong = (requested: TokenScope | undefined) =>
      requested !== undefined && tokenOf(ctx).scopes.includes(requested);
    if (scope !== undefined && !isAmong(scope) && !isAmong(orScope))
      throw new RefusalError(failure('forbidden'));
    if (isForOperators && tokenOf(ctx).kind !== 'operator') throw new RefusalError(failure('operators-only'));
    enabledHostsOf(tokenOf(ctx), operation);
    return next();
  };
}

/**
 * The hosts of the token that are enabled; for operators who administrate, all of them. Refused where all are disabled.
 */
export function enabledHostsOf(
  { kind, hosts }: Token,
  { scope }: Pick<Operation, 'scope'>,
): readonly TokenHost[] {
  if (kind === 'operator' && scope === 'admin') return hosts;
  const enabled = hosts.filter(({ disabled }) => !disabled);
  if (enabled.length === 0 && hosts.length > 0) throw new RefusalError(failure('host-disabled'));
  return enabled;
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
