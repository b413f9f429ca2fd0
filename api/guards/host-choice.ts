import type { Token, TokenHost } from '../../db/hosts/tokens.ts';
import { isJsonObject } from '../../platform/json-object.ts';
import { type AvailableHost, failure } from '../../queues/contract/failure.ts';
import type { Caller, Operation, TokenScope } from '../../queues/contract/operation.ts';
import type { Ctx } from '../context.ts';
import { RefusalError } from '../replies/envelope.ts';
import { enabledHostsOf, tokenOf } from './authenticate.ts';
import { refuseField } from './validate.ts';

/** Fields of a body that name a host. */
const hostNames = ['hostId', 'host_id', 'hostSlug', 'host_slug', 'choosenHostId'] as const;
export type HostNames = { [name in (typeof hostNames)[number]]?: string };

/** These fields choose the host even if the operation does not know them. */
export function hostNamesIn(body: unknown): HostNames {
  if (!isJsonObject(body)) return {};
  return Object.fromEntries(
    hostNames.filter(name => Object.hasOwn(body, name)).map(name => [name, body[name]]),
  );
}

/**
 * The caller and its hosts. An operation with `hosts: 'one'` runs on the host of the token, or on the chosen one;
 * every other host field in the body must name the same host.
 */
export function callerOf(ctx: Ctx, operation: Operation, body: HostNames): Caller {
  const token = tokenOf(ctx);
  const { id: tokenId, name: tokenName, scopes } = token;
  const requested = readHostChoice(ctx, body) ?? (operation.isForOperators ? body.hostId : undefined);
  const enabled = enabledHostsOf(token, operation);
  const hosts = requested === undefined ? enabled : [findChosenHost(token, requested)];
  if (hosts.some(host => !enabled.includes(host))) throw new RefusalError(failure('host-disabled'));
  const caller = {
    tokenId,
    tokenName,
    scopes: scopes as readonly TokenScope[],
    hostIds: hosts.map(host => host.host_id),
  };
  if (operation.hosts === 'all') return caller;
  const [host] = hosts;
  if (!host) throw new RefusalError(failure('host-forbidden'));
  if (token.kind !== 'host' && requested === undefined) {
    throw new RefusalError(failure('host-not-chosen', { availableHosts: enabled.map(toAvailableHost) }));
  }
  ctx.state.hostId = host.host_id;
  // An empty name is an absent one.
  const isNamed = (field: keyof HostNames, own: string) => {
    const name = body[field] || own;
    return typeof name === 'string' && name.toLowerCase() === own;
  };
  const agrees =
    isNamed('hostId', host.host_id) &&
    isNamed('host_id', host.host_id) &&
    isNamed('hostSlug', host.host_slug) &&
    isNamed('host_slug', host.host_slug);
  if (!agrees) throw new RefusalError(failure('host-forbidden'));
  return caller;
}

/** The share of the host that the caller works on, for the fair order over hosts. */
export function shareOf(ctx: Ctx, { hostIds: [hostId] }: Caller): number | undefined {
  return tokenOf(ctx).hosts.find(({ host_id }) => host_id === hostId)?.share;
}

/** The chosen host, from the header or the body; if both are given they must be equal. */
function readHostChoice(ctx: Ctx, { choosenHostId }: HostNames): unknown {
  const header = ctx.get('x-choosen-host-id') || undefined;
  const chosen: unknown = choosenHostId || undefined;
  if (header === undefined || chosen === undefined) return header ?? chosen;
  if (typeof chosen === 'string' && header.toLowerCase() === chosen.toLowerCase()) return header;
  return refuseField('choosenHostId', 'both-given', 'differs from x-choosen-host-id');
}

export function toAvailableHost({ host_id, host_slug, host_name }: TokenHost): AvailableHost {
  return { host_id, host_slug, host_name };
}

function findChosenHost(token: Token, requested: unknown) {
  const host = token.hosts.find(
    ({ host_id }) => host_id === (typeof requested === 'string' && requested.toLowerCase()),
  );
  if (!host) throw new RefusalError(failure('host-forbidden'));
  return host;
}
