import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { failure } from '../../queues/contract/failure.ts';
import type { Ctx } from '../context.ts';
import { RefusalError } from '../replies/envelope.ts';
import { refuseUntilNext, WINDOW_SECONDS } from './rate-limit.ts';
import { networkOf } from './secret-check.ts';

/*
 * What requests without a token may cost, in each web process: attempts that fail, by network, and by network and address of
 * a source, so that a source with a wrong secret does not slow others behind the same proxy at once; and bodies and secrets
 * that are being read. A failure costs failures only: who signs rightly enters, however many fail beside; and bodies for
 * addresses that nobody has take no place of those for a host.
 */

export interface UnknownCallerLimits {
  /** Counts a failed attempt; rejects with a 429 if there were too many. */
  noteFailed(ctx: Ctx, address: string): Promise<void>;
  /** Looks up a secret or an address, unless too many are being looked up. */
  finding<T>(ctx: Ctx, find: () => Promise<T>): Promise<T>;
  /** Reads a body, unless too many are being read: for this host, or for none. */
  reading<T>(ctx: Ctx, hostId: string | undefined, read: () => Promise<T>): Promise<T>;
}

const MAX_REFUSED = 1_000;
const MAX_REFUSED_PER_SOURCE = 100;
/** Each holds up to 1 MiB. */
const MAX_AT_ONCE = 128;
const MAX_AT_ONCE_PER_KEY = 32;

export function makeUnknownCallerLimits(): UnknownCallerLimits {
  const perNetwork = new RateLimiterMemory({ points: MAX_REFUSED, duration: WINDOW_SECONDS });
  const perSource = new RateLimiterMemory({ points: MAX_REFUSED_PER_SOURCE, duration: WINDOW_SECONDS });
  const countsOf = (ctx: Ctx, address: string) => {
    const network = networkOf(ctx.ip);
    return [
      [perNetwork, network],
      [perSource, `${network} ${address}`],
    ] as const;
  };
  const finding = makePlaces(MAX_AT_ONCE);
  const readingForNone = makePlaces(MAX_AT_ONCE);
  // A host has its places, whatever is being read for others.
  const readingForHosts = makePlaces(Infinity);
  return {
    async noteFailed(ctx, address) {
      for (const [limiter, key] of countsOf(ctx, address))
        await limiter
          .consume(key)
          .catch((state: RateLimiterRes) => refuseUntilNext(ctx, state, 'too-many-guesses'));
    },
    finding: (ctx, find) => finding(networkOf(ctx.ip), find),
    reading: (ctx, hostId, read) =>
      hostId === undefined ? readingForNone(networkOf(ctx.ip), read) : readingForHosts(hostId, read),
  };
}

function makePlaces(most: number) {
  const byKey = new Map<string, number>();
  let total = 0;
  const count = (key: string, change: 1 | -1) => {
    const left = (byKey.get(key) ?? 0) + change;
    total += change;
    if (left === 0) byKey.delete(key);
    else byKey.set(key, left);
  };
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    if (total >= most || (byKey.get(key) ?? 0) >= MAX_AT_ONCE_PER_KEY)
      throw new RefusalError(failure('overloaded'));
    count(key, 1);
    try {
      return await work();
    } finally {
      count(key, -1);
    }
  };
}
