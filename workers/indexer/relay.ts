import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Db } from '../../db/connection.ts';
import { openSearchChannel, type SearchChannel, searchChangeOf } from '../../db/search/channel.ts';
import {
  claimEvents,
  queueChannelEvents,
  releaseEvents,
  type SearchChange,
  type SearchEvent,
} from '../../db/search/outbox.ts';
import { noteEvents, noteRelay } from '../../db/search/pipeline.ts';
import { reasonOf } from '../../platform/error-reason.ts';
import { pauseAfter } from '../../platform/repeat.ts';
import { Batcher } from './batcher.ts';
import { flushBatch } from './flush.ts';
import { backoffOf, type PipelineLimits, RECONNECT_ATTEMPTS } from './pipeline-limits.ts';

/*
 * Publishes the events of the outbox on the search channel and indexes them. One relay at a time, by a session lock
 * that ends with its connection.
 *
 *   connecting -> standing by -> leading -> connecting …
 *        └─ five failures in a row ─▶ lost: the process exits with an error and is restarted
 *
 * - connecting: opens a session that listens on the channel; no events are claimed.
 * - standing by: another relay has the lock, which is tried again each second. Messages of the channel are kept for
 *   one or two polls, in case the leader died before it queued them.
 * - leading: releases the events that an earlier leader had claimed. Then, four times in each flush interval: claims
 *   events, publishes those that triggers wrote (they are committed, or they would not be visible), batches them,
 *   indexes what is due.
 * - When the connection is lost, claimed events are dropped from memory: their lines stay in the outbox until their
 *   records are indexed, and the next leader releases them. At worst an event is published and indexed twice, which
 *   is idempotent.
 * - Messages of others on the channel are queued like events from HTTP, and kept in memory until then; a session
 *   ignores its own messages.
 */

export interface RelayParts {
  readonly db: Db;
  readonly databaseUrl: string;
  readonly limits: PipelineLimits;
  readonly log: Logger;
  readonly stop: AbortSignal;
  /** Called when this relay becomes the leader; `ended` aborts when it no longer is. */
  onLead(ended: AbortSignal): void;
}

const STANDBY_POLL_MS = 1_000;
const MAX_CLAIMED_EVENTS = 2_000;
const INSERT_BATCH_SIZE = 1_000;

/** Resolves on stop; rejects when the database stays unreachable. */
export async function runRelay(parts: RelayParts): Promise<void> {
  const { stop, log, limits } = parts;
  const received: SearchChange[] = [];
  let failures = 0;
  let connections = 0;
  while (!stop.aborted) {
    try {
      await withChannel(parts, received, async channel => {
        connections += 1;
        const noteStandBy = () => (failures = 0);
        if (!(await standBy(channel, received, stop, noteStandBy))) return;
        // A read-only database can be connected to: only a write shows that it is back.
        await startLeading(parts, connections > 1);
        failures = 0;
        await runAsLeader(channel, received, parts);
      });
    } catch (err) {
      failures += 1;
      const line = { event: 'search.relay_lost', reason: reasonOf(err) };
      if (failures === 1) log.error(line, 'the search relay has lost the database');
      if (failures >= RECONNECT_ATTEMPTS) throw err;
    }
    await sleep(pauseAfter(failures + 1, backoffOf(limits)), stop);
  }
}

async function withChannel(
  { databaseUrl, log }: RelayParts,
  received: SearchChange[],
  work: (channel: SearchChannel) => Promise<void>,
): Promise<void> {
  const channel = await openSearchChannel(databaseUrl, payload => {
    const change = searchChangeOf(payload);
    if (change) received.push(change);
    else log.warn({ event: 'search.message_skipped' }, 'skipped an invalid message on the search channel');
  });
  try {
    await work(channel);
  } finally {
    await channel.close();
  }
}

async function standBy(
  channel: SearchChannel,
  received: SearchChange[],
  stop: AbortSignal,
  onStandBy: () => void,
): Promise<boolean> {
  let before = 0;
  while (!stop.aborted && channel.isOpen) {
    if (await channel.tryLead()) return true;
    onStandBy();
    received.splice(0, before);
    before = received.length;
    await sleep(STANDBY_POLL_MS, stop);
  }
  return false;
}

async function startLeading({ db, limits, log }: RelayParts, isReconnect: boolean): Promise<void> {
  await releaseEvents(db);
  await noteRelay(db, { flushMs: limits.flushMs, isReconnect });
  log.info({ event: 'search.relay_started' }, 'the search relay became the leader');
}

async function runAsLeader(
  channel: SearchChannel,
  received: SearchChange[],
  parts: RelayParts,
): Promise<void> {
  const { limits, stop, onLead } = parts;
  const batcher = new Batcher<SearchEvent>(limits);
  const ended = new AbortController();
  onLead(ended.signal);
  try {
    while (!stop.aborted && channel.isOpen) {
      const taken = await claimWaitingEvents(channel, received, batcher, parts);
      for (let batch = batcher.take(performance.now()); batch; batch = batcher.take(performance.now())) {
        await flushBatch(batch, parts);
      }
      if (taken < MAX_CLAIMED_EVENTS && received.length === 0) await sleep(nextPollMs(batcher, limits), stop);
    }
  } finally {
    ended.abort();
  }
}

async function claimWaitingEvents(
  channel: SearchChannel,
  received: SearchChange[],
  batcher: Batcher<SearchEvent>,
  { db }: RelayParts,
): Promise<number> {
  const batch = received.slice(0, INSERT_BATCH_SIZE);
  await queueChannelEvents(db, batch);
  received.splice(0, batch.length);
  await channel.ping();
  const events = await claimEvents(db, MAX_CLAIMED_EVENTS);
  if (events.length === 0) return 0;
  await channel.notify(events.filter(({ source, attempts }) => source === 'trigger' && attempts === 0));
  batcher.add(events, performance.now());
  await noteEvents(db);
  return events.length;
}

function nextPollMs(batcher: Batcher<SearchEvent>, { flushMs }: PipelineLimits): number {
  return Math.min(flushMs / 4, batcher.dueInMs(performance.now()) ?? flushMs);
}

async function sleep(ms: number, stop: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal: stop }).catch(() => {});
}
