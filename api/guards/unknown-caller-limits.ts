import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { Gate } from '../../platform/gate.ts';
import { failure } from '../../queues/contract/failure.ts';
import type { Ctx } from '../context.ts';
import { RefusalError } from '../replies/envelope.ts';
import { networkOf, refuseUntilNext, WINDOW_SECONDS } from './rate-limit.ts';

/*
 * Each web process limits the cost of requests without a token: failed attempts, by network, and by network and address of a
 * source, so that a source with a wrong secret does not slow others behind the same proxy at once; and bodies and secrets that
 * are being read. Failures only slow down failures: a right signature is accepted, however many others fail. So a body takes a
 * place only if it is large or slow to arrive; and bodies for addresses that nobody has take no place of a host.
 */

interface Addressee {
  readonly address: string;
  readonly hostId: string | undefined;
}

export interface UnknownCallerLimits {
  /** Counts a failed attempt; rejects with a 429 if there were too many. */
  noteFailed(ctx: Ctx, address: string): Promise<void>;
  /** Looks up a secret or an address, unless too many look-ups are running. */
  finding<T>(ctx: Ctx, find: () => Promise<T>): Promise<T>;
  /** Reads a body for an address of this host, or of none. Refuses if it comes slowly and too many do, or if too many failed. */
  reading<T>(ctx: Ctx, to: Addressee, read: () => Promise<T>): Promise<T>;
}

const MAX_REFUSED = 1_000;
const MAX_REFUSED_PER_SOURCE = 100;
/** Each of these holds up to 1 MiB. */
const MAX_AT_ONCE = 128;
const MAX_AT_ONCE_PER_KEY = 32;
/** Without this limit, 34 slow bodies for one source, from one network, kept 276 of 280 signed records of its host at 503. */
const MAX_AT_ONCE_OF_NETWORK = MAX_AT_ONCE_PER_KEY / 4;
/** Most senders send headers and body together. */
const AT_ONCE_BYTES = 65_536;
const AT_ONCE_MS = 100;

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
  const refuseFailed = async (ctx: Ctx, address: string) => {
    for (const [limiter, key] of countsOf(ctx, address)) {
      const state = await limiter.get(key);
      if (state && state.consumedPoints >= limiter.points) refuseUntilNext(ctx, state, 'too-many-guesses');
    }
  };
  const limits = { maxTotal: MAX_AT_ONCE, maxPerKey: MAX_AT_ONCE_PER_KEY };
  const finds = new Gate(limits);
  const bodiesForNone = new Gate(limits);
  const bodies = makeBodyPlaces();
  return {
    async noteFailed(ctx, address) {
      for (const [limiter, key] of countsOf(ctx, address))
        await limiter
          .consume(key)
          .catch((state: RateLimiterRes) => refuseUntilNext(ctx, state, 'too-many-guesses'));
    },
    finding: (ctx, find) => holdPlace(finds, networkOf(ctx.ip), find),
    async reading(ctx, { address, hostId }, read) {
      const begun = isSmall(ctx) ? read() : undefined;
      if (begun && (await isThereAtOnce(begun))) return begun;
      try {
        await refuseFailed(ctx, address);
        const network = networkOf(ctx.ip);
        const work = () => begun ?? read();
        if (hostId !== undefined) return await bodies.hold({ hostId, network }, work);
        return await holdPlace(bodiesForNone, network, work);
      } catch (error) {
        // The rest of the body may still arrive on this connection.
        if (!ctx.req.complete) ctx.set('Connection', 'close');
        throw error;
      }
    },
  };
}

/** Whether the headers promise a small body. A packed body may become large. */
function isSmall({ req: { headers } }: Ctx): boolean {
  return headers['content-encoding'] === undefined && Number(headers['content-length']) <= AT_ONCE_BYTES;
}

/** Whether the body is read at once; also true if reading failed at once. */
async function isThereAtOnce(reading: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>(resolve => {
    // The second step comes after reading what arrived while the event loop was busy.
    timer = setTimeout(() => setImmediate(() => setImmediate(resolve, false)), AT_ONCE_MS);
  });
  const ended = reading.then(
    () => true,
    () => true,
  );
  return Promise.race([ended, late]).finally(() => clearTimeout(timer));
}

/** Does the work in a place of the gate; refuses if none is left. */
async function holdPlace<T>(gate: Gate, key: string, work: () => Promise<T>): Promise<T> {
  if (!gate.tryEnter({ key })) throw new RefusalError(failure('overloaded'));
  try {
    return await work();
  } finally {
    gate.leave({ key });
  }
}

interface ReadBody {
  readonly network: string;
  giveUp(): void;
}

/**
 * The bodies that are being read for each host, oldest first. If there are too many, the oldest of the network with the most is
 * given up, not the new one: slow bodies of four networks kept 65 of 69 signed records of 100 kB at 503. A stranger with as many
 * networks as there are places can still end a body that takes longer than theirs take to come again.
 */
function makeBodyPlaces() {
  const ofHosts = new Map<string, Set<ReadBody>>();
  return {
    /** Does the work; rejects if the network has too many places, or another body takes this one. */
    async hold<T>(
      { hostId, network }: { readonly hostId: string; readonly network: string },
      work: () => Promise<T>,
    ): Promise<T> {
      const bodies = ofHosts.get(hostId) ?? new Set();
      const countOf = (name: string) => [...bodies].filter(each => each.network === name).length;
      if (countOf(network) >= MAX_AT_ONCE_OF_NETWORK) throw new RefusalError(failure('overloaded'));
      let giveUp = () => {};
      const givenUp = new Promise<never>((_resolve, reject) => {
        giveUp = () => reject(new RefusalError(failure('overloaded')));
      });
      const own = { network, giveUp };
      ofHosts.set(hostId, bodies.add(own));
      if (bodies.size > MAX_AT_ONCE_PER_KEY) {
        const most = Math.max(...[...bodies].map(each => countOf(each.network)));
        const oldest = [...bodies].find(each => countOf(each.network) === most);
        oldest?.giveUp();
        if (oldest) bodies.delete(oldest);
      }
      try {
        return await Promise.race([work(), givenUp]);
      } finally {
        bodies.delete(own);
        if (bodies.size === 0 && ofHosts.get(hostId) === bodies) ofHosts.delete(hostId);
      }
    },
  };
}
