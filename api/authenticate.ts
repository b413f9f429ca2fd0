import type { Token } from '../db/tokens.ts';
import { failure } from '../queues/contract/failure.ts';
import type { Caller, Operation, TokenScope } from '../queues/contract/operation.ts';
import type { Ctx, Step } from './context.ts';
import { RefusalError } from './envelope.ts';

export type FindToken = (text: string) => Promise<Token | undefined>;

/** How a body may say which host it is about. */
export type HostNames = {
  [name in 'hostId' | 'host_id' | 'hostSlug' | 'host_slug' | 'choosenHostId']?: string;
};

/** Who asks: 401 for any token that is not in force. */
export function authenticate(findToken: FindToken): Step {
  return async (ctx, next) => {
    const [, text] = /^Bearer +(\S+) *$/i.exec(ctx.get('authorization')) ?? [];
    const token = text === undefined ? undefined : await findToken(text);
    if (!token || token.expired || token.revoked) {
      ctx.set('WWW-Authenticate', 'Bearer');
      throw new RefusalError(failure('unauthorized'));
    }
    ctx.state.token = token;
    return next();
  };
}

/** Whether the token may do this at all. */
export function requireScope({ scope, orScope }: Operation): Step {
  return (ctx, next) => {
    const isAmong = (wanted: TokenScope | undefined) =>
      wanted !== undefined && tokenOf(ctx).scopes.includes(wanted);
    if (scope !== undefined && !isAmong(scope) && !isAmong(orScope))
      throw new RefusalError(failure('forbidden'));
    return next();
  };
}

/**
 * On which hosts this request works. A host-bound operation works on one: the token's own, or the one chosen
 * among the token's; whatever host the body names beside it must be that one.
 */
export function callerOf(ctx: Ctx, { hosts }: Operation, body: HostNames): Caller {
  const token = tokenOf(ctx);
  const { id: tokenId, name: tokenName, scopes } = token;
  const wanted = readHostChoice(ctx, body);
  const chosen = wanted === undefined ? token.hosts : [findChosenHost(token, wanted)];
  const caller = {
    tokenId,
    tokenName,
    scopes: scopes as readonly TokenScope[],
    hostIds: chosen.map(host => host.host_id),
  };
  if (hosts === 'all') return caller;
  const [host] = chosen;
  if (!host) throw new RefusalError(failure('host-forbidden'));
  if (token.kind !== 'host' && wanted === undefined) {
    throw new RefusalError(failure('host-not-chosen', { availableHosts: token.hosts }));
  }
  const isNamed = (field: keyof HostNames, own: string) => {
    const named = body[field] ?? own;
    return typeof named === 'string' && named.toLowerCase() === own;
  };
  const agrees =
    isNamed('hostId', host.host_id) &&
    isNamed('host_id', host.host_id) &&
    isNamed('hostSlug', host.host_slug) &&
    isNamed('host_slug', host.host_slug);
  if (!agrees) throw new RefusalError(failure('host-forbidden'));
  return caller;
}

/** The header and the body may both say it, as long as they say the same. */
function readHostChoice(ctx: Ctx, { choosenHostId }: HostNames): unknown {
  const header = ctx.get('x-choosen-host-id') || undefined;
  const named: unknown = choosenHostId ?? undefined;
  if (header === undefined || named === undefined) return header ?? named;
  if (typeof named === 'string' && header.toLowerCase() === named.toLowerCase()) return header;
  const fields = [{ path: 'choosenHostId', message: 'is another host than x-choosen-host-id' }];
  throw new RefusalError(failure('body-invalid', { fields }));
}

function findChosenHost(token: Token, wanted: unknown) {
  const host = token.hosts.find(
    ({ host_id }) => host_id === (typeof wanted === 'string' && wanted.toLowerCase()),
  );
  if (!host) throw new RefusalError(failure('host-forbidden'));
  return host;
}

function tokenOf(ctx: Ctx): Token {
  const { token } = ctx.state;
  if (!token) throw new Error('authenticate comes before whoever asks for the token');
  return token;
}
