import { openBurstChannel } from '../../db/conversations/burst-channel.ts';
import { type HeldTurn, listRevoked, renewLeases } from '../../db/conversations/turn-leases.ts';
import { keepConnected } from '../../platform/keep-connected.ts';
import { repeat } from '../../platform/repeat.ts';
import type { TaskFailureLog } from '../runtime/outage-logs.ts';
import type { Pools } from '../runtime/pools.ts';

/** The turns that this process claims and runs: their leases are renewed, and a burst may revoke them. */
export interface HeldTurns {
  /** Call it before the claim: a turn may be revoked as soon as that is committed, which aborts the signal. */
  begin(turnId: string): TurnHold;
}

/** One run of a turn; a job that was lost and its retry under the same key may both have one. */
export interface TurnHold {
  readonly revoked: AbortSignal;
  hold(turn: HeldTurn): void;
  end(): void;
}

export interface HeldTurnsOptions {
  readonly leases: Pools['leases'];
  readonly leaseMs: number;
  readonly databaseUrl: string;
  readonly signal: AbortSignal;
  /** Something happened to a turn that may wait in this process. */
  onTurn(turnId: string): void;
  readonly onTaskFailed: TaskFailureLog;
}

interface Entry {
  readonly turnId: string;
  readonly revoked: AbortController;
  isNoticed: boolean;
  held?: HeldTurn;
}

export function makeHeldTurns(options: HeldTurnsOptions): HeldTurns {
  const { leases, leaseMs, databaseUrl, signal, onTurn, onTaskFailed } = options;
  const entries = new Set<Entry>();
  const entriesOf = (turnId: string) => [...entries].filter(entry => entry.turnId === turnId);
  const heldTurns = () => [...entries].flatMap(({ held }) => held ?? []);

  /** The database decides: a message may be about what the claim has seen already, and a turn that acted goes on. */
  async function check(held: readonly HeldTurn[]): Promise<void> {
    for (const id of await listRevoked(leases, held))
      for (const entry of entriesOf(id)) entry.revoked.abort();
  }
  function checkNoticed({ isNoticed, held }: Entry): void {
    if (isNoticed && held)
      void check([held]).catch(error =>
        onTaskFailed(error, 'turn.burst_check_failed', 'failed to check for superseded turns'),
      );
  }
  async function renew(): Promise<void> {
    const held = heldTurns();
    if (held.length === 0) return;
    const kept = await renewLeases(leases, held, leaseMs);
    // A message may have been missed.
    if (kept.length < held.length) await check(held);
  }

  /** Hears what a burst revokes, or ends while it waits, in all processes. What this misses, the renewal of the leases finds. */
  const notice = (turnId: string) => {
    onTurn(turnId);
    for (const entry of entriesOf(turnId)) checkNoticed(Object.assign(entry, { isNoticed: true }));
  };
  keepConnected(() => openBurstChannel(databaseUrl, notice), {
    signal,
    onError: error =>
      onTaskFailed(error, 'turn.burst_listener_failed', 'failed to listen for superseded turns'),
  });
  void repeat(renew, {
    everyMs: leaseMs / 4,
    signal,
    onError: error => onTaskFailed(error, 'turn.lease_failed', 'failed to renew turn leases'),
  });
  return {
    begin(turnId) {
      const entry: Entry = { turnId, revoked: new AbortController(), isNoticed: false };
      entries.add(entry);
      return {
        revoked: entry.revoked.signal,
        hold: held => checkNoticed(Object.assign(entry, { held })),
        end: () => void entries.delete(entry),
      };
    },
  };
}
