import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import ipaddr from 'ipaddr.js';
import { Agent, buildConnector, type Dispatcher, fetch as undiciFetch } from 'undici';
import { isPublicAddress } from '../domain/egress-address.ts';
import { capResponse } from './response-cap.ts';

/*
 * The only way out to an address that a tenant has named.
 *
 * What is checked is the address of each connection, at the moment it is made: the name is resolved here, every
 * address that it has must be allowed, and the socket goes to those very addresses and asks nobody again, so that a
 * name which changes its mind between check and call gains nothing. A redirect needs a connection like any other and
 * meets the same check. The name stays in `Host` and in TLS; only where the bytes go is pinned.
 */

export interface Egress {
  readonly fetch: typeof globalThis.fetch;
  /** Ends what is under way, too. */
  close(): Promise<void>;
}

export type Resolve = (name: string) => Promise<readonly string[]>;

export interface EgressOptions {
  /** Lets it go to any address: for work on one's own machine. */
  readonly allowPrivate: boolean;
  readonly resolve?: Resolve;
  readonly isAllowed?: (address: string) => boolean;
}

/** What we do not call, for reasons of our own; it says nothing of what is there. */
export class EgressRefused extends Error {
  constructor() {
    super('this address is not allowed');
    this.name = 'EgressRefused';
  }
}

const CONNECT_MS = 3_000;
const RESOLVE_MS = 2_000;
/** Between a request and its answer, and between the pieces of that; a stream that was asked for may be silent. */
const SILENCE_MS = 65_000;
const MOST_CONNECTIONS = 32;

export function openEgress(options: EgressOptions): Egress {
  const agent = new Agent({
    connect: guardedConnector(options),
    connections: MOST_CONNECTIONS,
    keepAliveTimeout: 30_000,
  });
  const dispatcher = agent.compose(withTimeLimits);
  const fetch = async (input: string | URL | Request, init: RequestInit = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const isHttp = url.protocol === 'http:' || url.protocol === 'https:';
    if (!isHttp || url.username !== '' || url.password !== '') throw new EgressRefused();
    // Node's own fetch belongs to another version of the library than this dispatcher.
    const response = await undiciFetch(url, { ...init, dispatcher } as never);
    return capResponse(response, { isStream: (init.method ?? 'GET') === 'GET' });
  };
  return { fetch, close: () => agent.destroy() };
}

/** Whether a call failed because its address is refused. */
export function isEgressRefused(error: unknown): boolean {
  if (error instanceof EgressRefused) return true;
  return error instanceof Error && error.cause !== undefined && isEgressRefused(error.cause);
}

function guardedConnector(options: EgressOptions): buildConnector.connector {
  const { allowPrivate, isAllowed = allowPrivate ? () => true : isPublicAddress } = options;
  const lookup = pinningLookup(isAllowed, options.resolve);
  // With private addresses the machine's own ways of resolving count, its file of hosts among them.
  const isOwn = allowPrivate && !options.resolve;
  const connect = buildConnector({ timeout: CONNECT_MS, ...(isOwn ? {} : { lookup }) });
  return (wanted, done) => {
    // Nobody looks up what is an address already.
    const isRefused = ipaddr.isValid(wanted.hostname) && !isAllowed(wanted.hostname);
    if (isRefused) done(new EgressRefused(), null);
    else connect(wanted, done);
  };
}

function pinningLookup(
  isAllowed: (address: string) => boolean,
  resolve: Resolve = resolveByDns,
): LookupFunction {
  const allowedOf = callbackify(async (name: string) => {
    const addresses = await resolve(name);
    if (addresses.length === 0 || !addresses.every(isAllowed)) throw new EgressRefused();
    return addresses.map(address => ({ address, family: ipaddr.parse(address).kind() === 'ipv4' ? 4 : 6 }));
  });
  return (name, { all }, done) =>
    allowedOf(name, (error, found) => {
      if (error) done(error, '', 0);
      else if (all) done(null, found);
      else done(null, found[0]?.address ?? '', found[0]?.family);
    });
}

/** Not by the system's call: that holds one of few threads, which a slow name server of a tenant's could use up. */
async function resolveByDns(name: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: RESOLVE_MS, tries: 1 });
  const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = found.flatMap(each => (each.status === 'fulfilled' ? each.value : []));
  if (addresses.length === 0) throw new Error('this name cannot be resolved');
  return addresses;
}

function withTimeLimits(dispatch: Dispatcher['dispatch']): Dispatcher['dispatch'] {
  return (options, handler) => {
    const bodyTimeout = options.method === 'GET' ? 0 : SILENCE_MS;
    return dispatch({ ...options, headersTimeout: SILENCE_MS, bodyTimeout }, handler);
  };
}
