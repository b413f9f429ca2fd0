import { Counter, type Registry } from 'prom-client';
import { type FinishedTurn, turnStages } from './runtime/turn-time.ts';

/** Hosts with a label of their own: each takes some twenty series of every worker. */
const MAX_NAMED = 10;
const OTHER_HOSTS = 'other';
/** All counts are halved after so many turns, so that the busy hosts of last month give their labels up. */
const HALVED_AFTER = 1_000;
/** A host takes the label of the least busy one with this many times its turns: two that are alike would swap it at each turn. */
const TAKES_OVER = 2;

/** Counts turns by host: for the ten with most turns of late each, for all others together. */
export function makeHostTurnCounter(registry: Registry): (turn: FinishedTurn) => void {
  const registers = [registry];
  const turns = new Counter({
    name: 'parley_host_turns_total',
    help: 'Turns ended, by status, of the ten hosts with most of them; 499 if the caller went away',
    labelNames: ['host', 'status'],
    registers,
  });
  const seconds = new Counter({
    name: 'parley_host_turn_seconds_total',
    help: 'Where the time of these turns went, as in turn.finished',
    labelNames: ['host', 'stage'],
    registers,
  });
  const labels = makeHostLabels(({ host, statuses }) => {
    for (const status of statuses) turns.remove({ host, status });
    for (const stage of turnStages) seconds.remove({ host, stage });
  });
  return ({ hostId, status, ms }) => {
    const host = labels.labelOf(hostId, status);
    turns.inc({ host, status });
    for (const stage of turnStages) seconds.inc({ host, stage }, ms[stage] / 1_000);
  };
}

interface NamedHost {
  readonly host: string;
  /** Those that its series have. */
  readonly statuses: ReadonlySet<number>;
}

function makeHostLabels(onLost: (host: NamedHost) => void) {
  const named = new Map<string, Set<number>>();
  let recent = new Map<string, number>();
  let counted = 0;
  const countOf = (host: string) => recent.get(host) ?? 0;
  /** Frees a label for this host, if it may have one. */
  const makeRoom = (hostId: string): boolean => {
    if (named.size < MAX_NAMED) return true;
    const [least = ''] = [...named.keys()].toSorted((a, b) => countOf(a) - countOf(b));
    if (countOf(hostId) < TAKES_OVER * Math.max(countOf(least), 1)) return false;
    onLost({ host: least, statuses: named.get(least) ?? new Set() });
    return named.delete(least);
  };
  return {
    labelOf(hostId: string, status: number): string {
      recent.set(hostId, countOf(hostId) + 1);
      counted += 1;
      if (counted % HALVED_AFTER === 0)
        recent = new Map([...recent].flatMap(([host, count]) => (count > 1 ? [[host, count >> 1]] : [])));
      if (!named.has(hostId) && !makeRoom(hostId)) return OTHER_HOSTS;
      named.set(hostId, (named.get(hostId) ?? new Set()).add(status));
      return hostId;
    },
  };
}
