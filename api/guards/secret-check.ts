import { createHash, timingSafeEqual } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Ctx } from '../context.ts';
import { refuseUntilNext, WINDOW_SECONDS } from './rate-limit.ts';

/** Failed attempts per address and minute, in each web process. */
const MAX_WRONG_GUESSES = 10;
/** Providers assign IPv6 networks of this size, so all its addresses count as one client. */
const IPV6_NETWORK_BITS = 64;

/** Whether `guess` equals the expected secret; throws a 429 after too many failed attempts of one address. */
export type SecretCheck = (ctx: Ctx, guess: string, expected: string) => Promise<boolean>;

export function makeSecretCheck(): SecretCheck {
  const limiter = new RateLimiterMemory({ points: MAX_WRONG_GUESSES, duration: WINDOW_SECONDS });
  return async (ctx, guess, expected) => {
    const network = networkOf(ctx.ip);
    // Counted before the comparison, so that concurrent attempts cannot exceed the limit.
    await limiter
      .consume(network)
      .catch((state: RateLimiterRes) => refuseUntilNext(ctx, state, 'too-many-guesses'));
    if (!isSameSecret(guess, expected)) return false;
    await limiter.reward(network, 1);
    return true;
  };
}

/** The address, or the network of an IPv6 address: what one client can have. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${IPV6_NETWORK_BITS}`).toString();
}

/** Constant time: the duration must not reveal how many characters match. */
function isSameSecret(guess: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(guess), digest(expected));
}
