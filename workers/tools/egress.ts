import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import ipaddr from 'ipaddr.js';
import { Agent, buildConnector, DecoratorHandler, type Dispatcher, fetch as undiciFetch } from 'undici';
import type { AllowedAddress } from '../../platform/allowed-address.ts';
import { type EgressRules, isAddressAllowed, isPublicAddress, portOf } from '../domain/egress-address.ts';
import { makePlainFetch } from './plain-response.ts';
import { type BodyForm, readFile, readParsed } from './response-reader.ts';

/*
 * The only way to call an address that a tenant has given. What it answers is read in `response-reader.ts`.
 *
 * The address of each connection is checked when the connection is made: the name is resolved here, every address of it
 * must be allowed, and the socket connects to these addresses without a second look-up, so DNS rebinding has no effect.
 * A redirect makes a new connection and passes the same check. `Host` and TLS still use the name; only the IP address
 * is pinned.
 */

export interface Fetcher {
  readonly fetch: typeof globalThis.fetch;
}

export interface Egress {
  /** The responses are files, or nobody reads them: they are limited in bytes only. */
  files(maxBytes: number): Fetcher;
  /** The responses are parsed in this process, for this host. */
  parsed(hostId: string, form?: BodyForm): Fetcher;
  /** Like `parsed`, for calls of models. */
  answers(hostId: string, form: BodyForm): Fetcher;
  /** Also aborts running requests. */
  close(): Promise<void>;
}

export type Resolve = (name: string) => Promise<readonly string[]>;

export interface EgressSettings {
  /** Allows tenants to use all private addresses. */
  readonly egressAllowPrivate?: boolean | undefined;
  /** Private addresses that tenants may use. */
  readonly egressAllow?: readonly AllowedAddress[] | undefined;
}

export function egressRulesOf({ egressAllowPrivate = false, egressAllow }: EgressSettings): EgressRules {
  return { allowPrivate: egressAllowPrivate, allowed: egressAllow };
}

export interface EgressOptions extends EgressRules {
  /** Connections to one origin at a time; further requests wait. Undefined: a few. */
  readonly maxConnections?: number;
  readonly resolve?: Resolve;
  readonly isAllowed?: (address: string) => boolean;
}

/*
 * A server can burden the process with few bytes of a body: with heads like `103 Early Hints` for ever before its response,
 * with chunks of one byte, each of which costs as much as a kilobyte, and with packed bytes that unpack to nothing.
 */

const MAX_EARLY_HEADS = 10;
const MAX_SMALL_CHUNKS = 2_000;
const MIN_MEAN_BYTES = 64;
/** Packed bytes of one response; servers are asked not to pack. */
const MAX_PACKED_BYTES = 4 * 1_048_576;

/** Thrown when the address is not allowed. The message does not reveal what is there. */
export class EgressRefusedError extends Error {
  readonly code = 'EGRESS_REFUSED';
  constructor() {
    super('this address is not allowed');
    this.name = 'EgressRefusedError';
  }
}

const CONNECT_MS = 3_000;
const RESOLVE_MS = 2_000;
/** Limit for the headers, and between two chunks of the body; the stream of a GET request may be silent for longer. */
const IDLE_TIMEOUT_MS = 65_000;
const MAX_CONNECTIONS = 32;

export function openEgress(options: EgressOptions): Egress {
  const agent = new Agent({
    connect: makeGuardedConnector(options),
    connections: options.maxConnections ?? MAX_CONNECTIONS,
    keepAliveTimeout: 30_000,
  });
  const dispatcher = agent.compose(limitTimes).compose(boundResponses);
  const fetcherOf = (send: typeof fetch, read: (response: Response) => Response): Fetcher => ({
    fetch: async (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input);
      const isHttp = url.protocol === 'http:' || url.protocol === 'https:';
      if (!isHttp || url.username !== '' || url.password !== '') throw new EgressRefusedError();
      return read(await send(url, init));
    },
  });
  const whole: typeof fetch = (url, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set('accept-encoding', 'identity');
    // Node's own fetch is built on another version of undici than this dispatcher.
    return undiciFetch(
      url as URL,
      { ...init, headers, dispatcher } as never,
    ) as Promise<unknown> as Promise<Response>;
  };
  const plain = makePlainFetch(whole, dispatcher);
  return {
    files: maxBytes => fetcherOf(whole, response => readFile(response, maxBytes)),
    parsed: (hostId, form) => fetcherOf(whole, response => readParsed(response, hostId, form)),
    answers: (hostId, form) => fetcherOf(plain, response => readParsed(response, hostId, form)),
    close: () => agent.destroy(),
  };
}

export function isEgressRefused(error: unknown): boolean {
  if (error instanceof EgressRefusedError) return true;
  return error instanceof Error && error.cause !== undefined && isEgressRefused(error.cause);
}

function makeGuardedConnector(options: EgressOptions): buildConnector.connector {
  const { allowPrivate, allowed = [], isAllowed = allowPrivate ? () => true : isPublicAddress } = options;
  // With private addresses allowed the system resolver is used, including its hosts file.
  const usesSystem = allowPrivate && !options.resolve;
  const makeConnector = (isRight: (address: string) => boolean) =>
    buildConnector({
      timeout: CONNECT_MS,
      ...(usesSystem ? {} : { lookup: makePinningLookup(isRight, options.resolve) }),
    });
  const common = makeConnector(isAllowed);
  return (wanted, done) => {
    const { hostname } = wanted;
    const target = { hostname, port: portOf(wanted) };
    const isRight = (address: string) => isAllowed(address) || isAddressAllowed(address, target, allowed);
    // The permission depends on the name and the port, which a look-up is not told.
    const connect = allowed.length > 0 ? makeConnector(isRight) : common;
    // A literal IP address is never looked up, so it is checked here.
    if (ipaddr.isValid(hostname) && !isRight(hostname)) done(new EgressRefusedError(), null);
    else connect(wanted, done);
  };
}

function makePinningLookup(
  isAllowed: (address: string) => boolean,
  resolve: Resolve = resolveByDns,
): LookupFunction {
  const allowedOf = callbackify(async (name: string) => {
    const addresses = await resolve(name);
    if (addresses.length === 0 || !addresses.every(isAllowed)) throw new EgressRefusedError();
    return addresses.map(address => ({ address, family: ipaddr.parse(address).kind() === 'ipv4' ? 4 : 6 }));
  });
  return (name, { all }, done) =>
    allowedOf(name, (error, found) => {
      if (error) done(error, '', 0);
      else if (all) done(null, found);
      else done(null, found[0]?.address ?? '', found[0]?.family);
    });
}

/** Does not use getaddrinfo: that blocks one of few threads, and a slow name server of a tenant could exhaust them. */
async function resolveByDns(name: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: RESOLVE_MS, tries: 1 });
  const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = found.flatMap(each => (each.status === 'fulfilled' ? each.value : []));
  if (addresses.length === 0)
    throw Object.assign(new Error('failed to resolve the host name'), { code: 'ENOTFOUND' });
  return addresses;
}

function limitTimes(dispatch: Dispatcher['dispatch']): Dispatcher['dispatch'] {
  return (options, handler) => {
    const bodyTimeout = options.method === 'GET' ? 0 : IDLE_TIMEOUT_MS;
    return dispatch({ ...options, headersTimeout: IDLE_TIMEOUT_MS, bodyTimeout }, handler);
  };
}

type Handler = Required<Dispatcher.DispatchHandler>;

/** Aborts responses beyond these limits next to the socket, before anything else handles them. */
function boundResponses(dispatch: Dispatcher['dispatch']): Dispatcher['dispatch'] {
  return (options, handler) => {
    const bounded = new DecoratorHandler(handler) as Dispatcher.DispatchHandler as Handler;
    const [onStart, onData] = [bounded.onResponseStart.bind(bounded), bounded.onResponseData.bind(bounded)];
    let [earlyHeads, chunks, bytes] = [0, 0, 0];
    let isPacked = false;
    bounded.onResponseStart = (controller, status, headers, ...rest) => {
      isPacked = headers['content-encoding'] !== undefined;
      if (status >= 200) return onStart(controller, status, headers, ...rest);
      earlyHeads += 1;
      if (earlyHeads > MAX_EARLY_HEADS) controller.abort(new Error('the server sent too many early heads'));
    };
    bounded.onResponseData = (controller, chunk) => {
      chunks += 1;
      bytes += chunk.length;
      const isInSmallChunks = chunks > MAX_SMALL_CHUNKS && bytes < chunks * MIN_MEAN_BYTES;
      if (isInSmallChunks) controller.abort(new Error('the response came in very small chunks'));
      else if (isPacked && bytes > MAX_PACKED_BYTES) controller.abort(new Error('the response is too large'));
      else onData(controller, chunk);
    };
    return dispatch(options, bounded);
  };
}
