import { createHash, timingSafeEqual } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { Gate } from '../../platform/gate.ts';
import { failure, type Refusal } from '../../queues/contract/failure.ts';
import type { ApiMiddleware, Ctx } from '../context.ts';
import { RefusalError } from '../replies/envelope.ts';
import { tokenOf } from './authenticate.ts';

/** Requests and failed attempts are counted in windows of a minute. */
export const WINDOW_SECONDS = 60;

/** Limits the requests per token in this process; 0 disables the limit. */
export function makeRateLimit(perMinute: number): ApiMiddleware {
  if (perMinute === 0) return (_ctx, next) => next();
  const limiter = new RateLimiterMemory({ points: perMinute, duration: WINDOW_SECONDS });
  return async (ctx, next) => {
    await limiter
      .consume(ctx.state.token?.id ?? '')
      .catch((state: RateLimiterRes) => refuseUntilNext(ctx, state, 'too-many-requests'));
    return next();
  };
}

/** Refuses until the next window, which is at most one window length away, even if the clock was set back. */
export function refuseUntilNext(ctx: Ctx, { msBeforeNext }: RateLimiterRes, reason: Refusal): never {
  const seconds = Math.min(WINDOW_SECONDS, Math.max(1, Math.ceil(msBeforeNext / 1_000)));
  ctx.set('Retry-After', String(seconds));
  throw new RefusalError(failure(reason));
}

/** At most this many requests begin in one round of the event loop: each takes a millisecond or two. */
const MAX_BEGUN = 8;

/**
 * Requests that arrive in the same moment begin round-robin over the tokens, a few in each round of the event loop:
 * otherwise one of another token would wait for all that arrived before it.
 */
export function makeRequestPace(): ApiMiddleware {
  const gate = new Gate({ maxTotal: MAX_BEGUN, maxPerKey: MAX_BEGUN });
  return async (ctx, next) => {
    const entry = { key: tokenOf(ctx).id };
    const turn = gate.enter(entry);
    if (turn) await turn;
    setImmediate(() => gate.leave(entry));
    return next();
  };
}

/** Failed attempts per address and minute, in each web process. */
const MAX_WRONG_GUESSES = 10;
/** Providers assign IPv6 networks of this size, so all its addresses count as one client. */
const IPV6_NETWORK_BITS = 64;

/** Whether `guess` equals the expected secret; throws a 429 after too many failed attempts of one address. */
type SecretCheck = (ctx: Ctx, guess: string, expected: string) => Promise<boolean>;

export function makeSecretCheck(): SecretCheck {
  const limiter = new RateLimiterMemory({ points: MAX_WRONG_GUESSES, duration: WINDOW_SECONDS });
  return async (ctx, guess, expected) => {
    const network = networkOf(ctx.ip);
    // The attempt counts before the comparison, so that concurrent attempts cannot exceed the limit.
    await limiter
      .consume(network)
      .catch((state: RateLimiterRes) => refuseUntilNext(ctx, state, 'too-many-guesses'));
    if (!isSameSecret(guess, expected)) return false;
    await limiter.reward(network, 1);
    return true;
  };
}

/** The address, or for IPv6 its network: all that one client can have. */
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
