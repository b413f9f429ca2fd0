import type { Token, TokenHost } from '../../db/hosts/tokens.ts';
import { isUuid } from '../../platform/uuid.ts';
import { failure } from '../../queues/contract/failure.ts';
import type { Operation, TokenScope } from '../../queues/contract/operation.ts';
import type { ApiMiddleware, Ctx } from '../context.ts';
import { RefusalError } from '../replies/envelope.ts';

/** This cookie holds the secret of a session of the console; scripts of the page cannot read it. */
export const SESSION_COOKIE = 'parley_session';
const CONSOLE_HEADER = 'x-parley-console';

export type TokenFinder = (text: string) => Promise<Token | undefined>;

/**
 * Responds with 401 unless the token is valid, unexpired and not revoked, or the cookie belongs to an open session; with 403 if a
 * write with a cookie lacks the header that no form of another site can send.
 */
export function makeAuthentication(findToken: TokenFinder): ApiMiddleware {
  return async (ctx, next) => {
    const session = sessionOf(ctx);
    const text = session ?? bearerOf(ctx);
    // Only a cookie may hold a session, and a cookie may hold nothing else.
    const isRightKind = text?.startsWith('ses_') === (session !== undefined);
    const token = text === undefined || !isRightKind ? undefined : await findToken(text);
    const isInForce = token && !token.expired && !token.revoked;
    if (!isInForce || (session !== undefined && isOfOthers(ctx, token))) {
      ctx.set('WWW-Authenticate', 'Bearer');
      throw new RefusalError(failure('unauthorized'));
    }
    if (session !== undefined) assertOwnPage(ctx);
    ctx.state.token = token;
    return next();
  };
}

/** The secret of the session; undefined if the request has a header `Authorization`, which overrides the cookie. */
export function sessionOf(ctx: Ctx): string | undefined {
  return ctx.get('authorization') === '' ? ctx.cookies.get(SESSION_COOKIE) : undefined;
}

/** A form or picture of another site cannot send a header of its own, and a script only where CORS allows it. */
export function assertOwnPage(ctx: Ctx): void {
  if (ctx.method === 'GET' || ctx.method === 'HEAD' || ctx.get(CONSOLE_HEADER) !== '') return;
  throw new RefusalError(failure('header-missing'));
}

/** Whether another person has signed in meanwhile, in another tab: the page names the session that it shows. */
function isOfOthers(ctx: Ctx, { id }: Token): boolean {
  const named = ctx.get(CONSOLE_HEADER);
  return isUuid(named) && named !== id;
}

/** Responds with 403 unless the token may call the operation. */
export function makeScopeGuard(operation: Operation): ApiMiddleware {
  return (ctx, next) => {
    assertMayCall(tokenOf(ctx), operation);
    return next();
  };
}

/** Refuses unless the token has the rights, and an enabled host. */
export function assertMayCall(token: Token, operation: Operation): void {
  const refused = findMissingRight(token, operation);
  const hint = `it needs the scope ${[operation.scope, operation.orScope].filter(Boolean).join(' or ')}`;
  if (refused) throw new RefusalError(failure(refused, refused === 'forbidden' ? { hint } : {}));
  enabledHostsOf(token, operation);
}

/** Undefined if the token has a required scope, and belongs to operators where the operation requires it. */
export function findMissingRight(
  { scopes, kind }: Token,
  { scope, orScope, isForOperators = false }: Operation,
): 'forbidden' | 'operators-only' | undefined {
  const isAmong = (requested: TokenScope | undefined) =>
    requested !== undefined && scopes.includes(requested);
  if (scope !== undefined && !isAmong(scope) && !isAmong(orScope)) return 'forbidden';
  return isForOperators && kind !== 'operator' ? 'operators-only' : undefined;
}

/** The enabled hosts of the token; for operators who administrate, all hosts. Refuses if all are disabled. */
export function enabledHostsOf(
  { kind, hosts }: Token,
  { scope }: Pick<Operation, 'scope'>,
): readonly TokenHost[] {
  if (kind === 'operator' && scope === 'admin') return hosts;
  const enabled = hosts.filter(({ disabled }) => !disabled);
  if (enabled.length === 0 && hosts.length > 0) throw new RefusalError(failure('host-disabled'));
  return enabled;
}

export function bearerOf(ctx: Ctx): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(ctx.get('authorization'))?.[1];
}

/** The token that `makeAuthentication` accepted. */
export function tokenOf(ctx: Ctx): Token {
  const { token } = ctx.state;
  if (!token) throw new Error('no token: makeAuthentication must run first');
  return token;
}
