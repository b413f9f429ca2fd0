import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { failure } from '../queues/contract/failure.ts';
import type { Ctx } from './context.ts';
import { RefusalError } from './envelope.ts';
import { networkOf, refuseGuesses } from './secret-check.ts';

/*
 * What requests without a token may cost, in each web process: attempts that fail, by network, and by network and address of
 * a source, so that a source with a wrong secret does not slow others behind the same proxy at once; and bodies and secrets
 * that are being read. A failure costs failures only: who signs rightly enters, however many fail beside.
 */

export interface StrangerLimits {
  /** Counts a failed attempt; rejects with a 429 if there were too many. */
  noteFailed(ctx: Ctx, address: string): Promise<void>;
  /** Reads a body or looks up a secret, unless too many are being read. */
  reading<T>(ctx: Ctx, read: () => Promise<T>): Promise<T>;
}

const WINDOW_SECONDS = 60;
const MAX_REFUSED = 1_000;
const MAX_REFUSED_PER_SOURCE = 100;
/** Each holds up to 1 MiB. */
const MAX_READING = 128;
const MAX_READING_PER_NETWORK = 32;

export function makeStrangerLimits(): StrangerLimits {
  const perNetwork = new RateLimiterMemory({ points: MAX_REFUSED, duration: WINDOW_SECONDS });
  const perSource = new RateLimiterMemory({ points: MAX_REFUSED_PER_SOURCE, duration: WINDOW_SECONDS });
  const countsOf = (ctx: Ctx, address: string) => {
    const network = networkOf(ctx.ip);
    return [
      [perNetwork, network],
      [perSource, `${network} ${address}`],
    ] as const;
  };
  return {
    async noteFailed(ctx, address) {
      for (const [limiter, key] of countsOf(ctx, address))
        await limiter.consume(key).catch((state: RateLimiterRes) => refuseGuesses(ctx, state));
    },
    reading: makeReadingLimit(),
  };
}

function makeReadingLimit(): StrangerLimits['reading'] {
  const perNetwork = new Map<string, number>();
  let total = 0;
  const count = (network: string, change: 1 | -1) => {
    const left = (perNetwork.get(network) ?? 0) + change;
    total += change;
    if (left === 0) perNetwork.delete(network);
    else perNetwork.set(network, left);
  };
  return async (ctx, read) => {
    const network = networkOf(ctx.ip);
    if (total >= MAX_READING || (perNetwork.get(network) ?? 0) >= MAX_READING_PER_NETWORK)
      throw new RefusalError(failure('overloaded'));
    count(network, 1);
    try {
      return await read();
    } finally {
      count(network, -1);
    }
  };
}
