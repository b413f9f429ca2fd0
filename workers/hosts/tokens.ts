import type { Db } from '../../db/connection.ts';
import { listHosts } from '../../db/hosts/hosts.ts';
import { makeToken } from '../../db/hosts/token-text.ts';
import {
  insertToken,
  isOperator,
  type ListedToken,
  listTokens as listStored,
  revokeToken as revokeStored,
} from '../../db/hosts/tokens.ts';
import { failure, fieldFailure, type Outcome } from '../../queues/contract/failure.ts';
import type { TokenScope } from '../../queues/contract/operation.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { ordinaryScopes } from '../../queues/contract/operations/tokens.ts';
import { MAX_NAME_LENGTH } from '../../queues/contract/shape.ts';
import { DAY_MS } from '../domain/time/instant.ts';
import { type Handler, MASK, showOnce } from '../runtime/job.ts';

export const issueToken: Handler<'issueToken'> = async ({ body, commitAsOperator }) => {
  const { operator = false } = body;
  const hostIds = body.hostIds && [...new Set(body.hostIds.map(id => id.toLowerCase()))];
  if (operator === (hostIds !== undefined))
    return fieldFailure('hostIds', 'exactly-one', 'either it or operator is required, not both');
  const { text, hash } = makeToken();
  let own: Outcome<DataOf<'issueToken'>> | undefined;
  const outcome = await commitAsOperator(async tx => {
    const slugs = await findSlugs(tx, hostIds ?? []);
    if (!slugs) return failure('host-forbidden');
    const expiresAt = expiryOf(body.expires);
    const tokenId = await insertToken(tx, {
      name: body.name ?? (slugs.join(' ').slice(0, MAX_NAME_LENGTH) || 'operator'),
      hash,
      scopes: body.scopes ?? ordinaryScopes,
      expiresAt,
      hostIds: hostIds ?? 'all',
    });
    own = { code: 200, data: { tokenId, token: MASK, expiresAt: expiresAt?.toISOString() ?? null } };
    return own;
  });
  return showOnce(outcome, own, { token: text });
};

/** Null: never. A year is the period where none is given. */
export function expiryOf(period = '365d'): Date | null {
  if (period === 'never') return null;
  return new Date(Date.now() + Number.parseInt(period, 10) * (period.endsWith('d') ? DAY_MS : DAY_MS / 24));
}

/** Undefined if one of them is no host. */
async function findSlugs(tx: Db, hostIds: readonly string[]): Promise<string[] | undefined> {
  const known = new Map((await listHosts(tx)).map(({ id, slug }) => [id, slug]));
  const slugs = hostIds.flatMap(id => known.get(id) ?? []);
  return slugs.length === hostIds.length ? slugs : undefined;
}

export const revokeToken: Handler<'revokeToken'> = ({ body: { tokenId }, commitAsOperator }) =>
  commitAsOperator(async tx =>
    (await revokeStored(tx, tokenId)) ? { code: 200, data: { tokenId } } : failure('token-not-found'),
  );

export function makeListTokens(owner: Db): Handler<'listTokens'> {
  return async ({ caller }) =>
    (await isOperator(owner, caller))
      ? { code: 200, data: (await listStored(owner)).map(itemOf) }
      : failure('operators-only');
}

function itemOf(token: ListedToken): DataOf<'listTokens'>[number] {
  const { id, name, kind, hosts, scopes, expired, revoked, expiresAt, lastUsedAt, createdAt } = token;
  return {
    tokenId: id,
    name,
    kind,
    hosts: kind === 'operator' ? [] : hosts.map(({ host_slug }) => host_slug),
    scopes: scopes as TokenScope[],
    state: revoked ? 'revoked' : expired ? 'expired' : 'valid',
    expiresAt: expiresAt?.toISOString() ?? null,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  };
}
