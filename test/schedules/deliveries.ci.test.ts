import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import * as fc from 'fast-check';
import type { Db } from '../../db/connection.ts';
import {
  type ClaimedDelivery,
  claimDeliveries,
  disableWebhook,
  findDispatches,
  noteResults,
  releaseDeliveries,
} from '../../db/events/deliveries.ts';
import { insertDirectEvent } from '../../db/events/events.ts';
import { upsertWebhook } from '../../db/events/webhooks.ts';
import { createHost } from '../../db/hosts/hosts.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { withHost } from '../../db/with-hosts.ts';
import { attemptDelivery } from '../../workers/events/attempt-delivery.ts';
import { makeWebhookSeal } from '../../workers/tools/webhook-secrets.ts';
import { assertDefined } from '../support/assert-defined.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';
import { type Actor, bugsOf, itInEveryOrder, mayDie, Stage } from './schedules.ts';

/*
 * Workers that claim the deliveries of one webhook and attempt them; some die, or give their claims back, and a step of the clock lets
 * all claims expire and all retries be due. The receiver fails at some.
 */

const FILE = 'test/schedules/deliveries.ci.test.ts';
const DELIVERIES = 3;
const LIMITS = { perLane: 2, perHost: 10, inAll: 10, leaseMs: 600_000 };

interface Work {
  readonly does: 'attempt' | 'release' | 'clock';
  /** Of the receiver, at its first attempt and at the second. */
  readonly statuses: readonly [number, number];
  readonly diesAt: number | null;
}

const work: fc.Arbitrary<Work> = fc.record({
  does: fc.constantFrom('attempt', 'attempt', 'release', 'clock'),
  statuses: fc.tuple(fc.constantFrom(200, 500), fc.constantFrom(200, 500)),
  diesAt: mayDie(14),
});
const world = fc.array(work, { minLength: 2, maxLength: 4, size: 'max' });

interface Claim {
  readonly claim: number;
  state: 'valid' | 'expired' | 'ended';
}

/** Says what the history allows: a fault is what it does not. */
class Checker {
  readonly faults: string[] = [];
  readonly #claims = new Map<string, Claim>();
  readonly #sending = new Map<string, number>();
  readonly #delivered = new Set<string>();
  readonly attempts = new Map<string, number>();
  readonly received = new Map<string, number>();

  claimed(claimed: readonly ClaimedDelivery[]): void {
    for (const { id, claim } of claimed) {
      const earlier = this.#claims.get(id);
      if (earlier?.state === 'valid') this.faults.push(`${id} was claimed by two`);
      if (this.#delivered.has(id)) this.faults.push(`${id} was claimed after it was delivered`);
      if (earlier && earlier.claim >= claim)
        this.faults.push(`${id} was claimed under the number of an earlier claim`);
      this.#claims.set(id, { claim, state: 'valid' });
    }
    const valid = [...this.#claims.values()].filter(({ state }) => state === 'valid');
    if (valid.length > LIMITS.perLane) this.faults.push(`the webhook has ${valid.length} claims at a time`);
  }

  found({ id, claim }: ClaimedDelivery): void {
    if (!this.#current(id, claim))
      this.faults.push(`claim ${claim} of ${id} is attempted, which is outdated`);
  }

  sends({ id, claim }: ClaimedDelivery): void {
    const other = this.#sending.get(id);
    const isOtherValid = this.#claims.get(id)?.claim === other && this.#claims.get(id)?.state === 'valid';
    if (other !== undefined && isOtherValid) this.faults.push(`${id} is sent twice at a time`);
    this.#sending.set(id, claim);
    this.received.set(id, (this.received.get(id) ?? 0) + 1);
  }

  ended(id: string): void {
    this.#sending.delete(id);
  }

  stored({ id, claim }: ClaimedDelivery, isDelivered: boolean): void {
    const own = this.#current(id, claim);
    if (!own) return;
    own.state = 'ended';
    this.attempts.set(id, (this.attempts.get(id) ?? 0) + 1);
    if (isDelivered) this.#delivered.add(id);
  }

  released({ id, claim }: ClaimedDelivery): void {
    const own = this.#current(id, claim);
    if (own) own.state = 'ended';
  }

  passed(): void {
    for (const claim of this.#claims.values()) if (claim.state === 'valid') claim.state = 'expired';
  }

  isClaimed(id: string): boolean {
    return (this.#claims.get(id)?.state ?? 'ended') !== 'ended';
  }

  stateOf(id: string): 'delivered' | 'pending' {
    return this.#delivered.has(id) ? 'delivered' : 'pending';
  }

  #current(id: string, claim: number): Claim | undefined {
    const own = this.#claims.get(id);
    return own?.claim === claim && own.state !== 'ended' ? own : undefined;
  }
}

/** In the statements of db/events/deliveries.ts. */
const bugs = bugsOf({
  'the result of an outdated claim is stored': [
    /and deliveries\.claim = attempt\.claim\s+and is_claimed\s+returning host_id/,
    'and is_claimed returning host_id',
  ],
  'an outdated claim is attempted': ['and deliveries.claim = attempt.claim and is_claimed', 'and is_claimed'],
  'an outdated claim is given back': [
    /and deliveries\.claim = attempt\.claim\s+and is_claimed$/,
    'and is_claimed',
  ],
  'a claim has the number of the one before': ['claim = claim + 1', 'claim = claim + 0'],
  'a claim does not last': [
    /claim = claim \+ 1, due_at = now\(\) \+ (\$\d+)/,
    'claim = claim + 1, due_at = now() + 0 * $1',
  ],
  'the claims of a webhook have no limit': ['- running as slots', 'as slots'],
  'a delivery is not tried again': [
    `when "nextInMs" is null then 'dead' else 'pending' end`,
    "else 'dead' end",
  ],
});

describe('the deliveries of a webhook, in every order of their statements', () => {
  const database = openOnce(makeDatabase);
  let hostId: string;
  let webhookId: string;
  before(async () => {
    hostId = assertDefined(await createHost(database.db, { slug: 'shop', name: 'Shop' })).id;
    const address = { url: 'https://shop.example/in', origin: 'https://shop.example' };
    const webhook = { id: randomUUID(), name: 'shop', events: [], enabled: true, secrets: [], ...address };
    webhookId = (await withHost(database.db, hostId, scope => upsertWebhook(scope, webhook))).webhookId;
  });

  async function play(stage: Stage, works: readonly Work[], choices: readonly number[]): Promise<void> {
    await rowsOf(stage.db)`delete from events`;
    await rowsOf(stage.db)`delete from webhook_lanes`;
    const ids = await withHost(stage.db, hostId, async scope => {
      const ids: string[] = [];
      for (let at = 0; at < DELIVERIES; at += 1) {
        const event = { id: randomUUID(), type: 'webhook.test', data: { at } };
        ids.push(assertDefined(await insertDirectEvent(scope, event, { webhookId })));
      }
      return ids;
    });
    const checker = new Checker();
    const parts = works.map(work => ({
      diesAt: work.diesAt,
      play: (actor: Actor) =>
        work.does === 'clock' ? passTime(actor.db, checker) : deliver(actor, work, checker),
    }));
    await stage.play(parts, choices, async () => {
      await check(stage.db, ids, checker, works);
      await recover(stage.db, checker);
      await check(stage.db, ids, checker, []);
      expect(ids.map(id => checker.stateOf(id))).to.eql(ids.map(() => 'delivered'));
    });
  }

  itInEveryOrder('send each at least once, and no claim twice, whatever fails, dies and expires', {
    file: FILE,
    database,
    world,
    bugs,
    play,
  });

  /** Without a death and without the clock, each was sent as often as it was attempted. */
  async function check(
    db: Db,
    ids: readonly string[],
    checker: Checker,
    works: readonly Work[],
  ): Promise<void> {
    expect(checker.faults).to.eql([]);
    const rows = await rowsOf<{ id: string; state: string; attempts: number; isClaimed: boolean }>(db)`
      select id, state, attempts, is_claimed as "isClaimed" from deliveries where id = any (${ids}::uuid[])`;
    const expected = ids.map(id => ({
      id,
      state: checker.stateOf(id),
      attempts: checker.attempts.get(id) ?? 0,
      isClaimed: checker.isClaimed(id),
    }));
    expect(rows.toSorted(byId), 'deliveries').to.eql(expected.toSorted(byId));
    const isUndisturbed =
      works.length > 0 && works.every(({ does, diesAt }) => does !== 'clock' && diesAt === null);
    for (const { id, attempts } of isUndisturbed ? rows : [])
      expect(checker.received.get(id) ?? 0, `times that ${id} was sent`).to.equal(attempts);
  }

  async function recover(db: Db, checker: Checker): Promise<void> {
    const actor = { db, pause: async () => {} };
    for (let round = 0; round < DELIVERIES; round += 1) {
      await passTime(db, checker);
      await deliver(actor, { does: 'attempt', statuses: [200, 200], diesAt: null }, checker);
    }
  }
});

const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1);
const seal = makeWebhookSeal('the secret key of these tests, which seals nothing');

/** As workers/events/start-deliveries.ts does, but for the queue between a claim and its attempt. */
async function deliver(actor: Actor, { does, statuses }: Work, checker: Checker): Promise<void> {
  const { db } = actor;
  const claimed = (await claimDeliveries(db, LIMITS)) ?? [];
  checker.claimed(claimed);
  // Each change is in a transaction: its commit is a point, and so has its place in the history.
  const release = async (delivery: ClaimedDelivery) => {
    await db.transaction(tx => releaseDeliveries(tx, [delivery]));
    checker.released(delivery);
  };
  for (const [at, delivery] of claimed.entries()) {
    await actor.pause('take the job');
    if (does === 'release') {
      await release(delivery);
      continue;
    }
    const status = assertDefined(statuses[at % 2]);
    await attemptDelivery(
      {
        seal,
        async find(delivery) {
          const [dispatch] = await findDispatches(db, [delivery]);
          if (dispatch) checker.found(delivery);
          return dispatch;
        },
        egress: {
          async fetch() {
            await actor.pause('send');
            checker.sends(delivery);
            await actor.pause('receive the answer');
            checker.ended(delivery.id);
            return new Response(null, { status });
          },
        },
        async store(result) {
          await db.transaction(tx => noteResults(tx, [result]));
          checker.stored(delivery, result.error === null);
        },
        release,
        disable: (hostId, webhookId, url) => disableWebhook(db, hostId, webhookId, url),
        random: () => 0,
      },
      delivery,
      new AbortController().signal,
    );
  }
}

async function passTime(db: Db, checker: Checker): Promise<void> {
  await db.transaction(async tx => {
    await rowsOf(tx)`lock table deliveries in share row exclusive mode`;
    await rowsOf(tx)`update deliveries set due_at = due_at - interval '1 hour' where state = 'pending'`;
    await rowsOf(tx)`update webhook_lanes set paused_until = '-infinity'`;
  });
  checker.passed();
}
