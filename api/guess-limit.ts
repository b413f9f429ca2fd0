import ipaddr from 'ipaddr.js';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { failure } from '../queues/contract/failure.ts';
import type { Ctx } from './context.ts';
import { RefusalError } from './envelope.ts';
import { isSameSecret } from './same-secret.ts';

/** Wrong guesses that one address has in a minute, at each web process. */
const MAX_WRONG_GUESSES = 10;
const WINDOW_SECONDS = 60;
/** A network of this size is one customer's: whoever has one address of it has them all. */
const IPV6_NETWORK_BITS = 64;

/** Whether a guess at a secret is right; throws a 429 for an address that has guessed wrong too often. */
export type SecretCheck = (ctx: Ctx, given: string, expected: string) => Promise<boolean>;

export function makeSecretCheck(): SecretCheck {
  const limiter = new RateLimiterMemory({ points: MAX_WRONG_GUESSES, duration: WINDOW_SECONDS });
  return async (ctx, given, expected) => {
    const guesser = networkOf(ctx.ip);
    // Counted before it is looked at, so that of many guesses at once none is free.
    await limiter.consume(guesser).catch((state: RateLimiterRes) => refuse(ctx, state));
    if (!isSameSecret(given, expected)) return false;
    await limiter.reward(guesser, 1);
    return true;
  };
}

function refuse(ctx: Ctx, { msBeforeNext }: RateLimiterRes): never {
  ctx.set('Retry-After', String(Math.max(1, Math.ceil(msBeforeNext / 1_000))));
  throw new RefusalError(failure('too-many-guesses'));
}

function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const read = ipaddr.process(address);
  if (read.kind() === 'ipv4') return read.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${read.toString()}/${IPV6_NETWORK_BITS}`).toString();
}
