import { once } from 'node:events';
import { openBurstChannel } from '../../db/conversations/burst-channel.ts';
import { repeat } from '../../platform/repeat.ts';

export interface BurstListener {
  /** A burst revokes this turn from whoever has it, or ends it while it waits. */
  onTurn(turnId: string): void;
  readonly signal: AbortSignal;
  onError(error: unknown): void;
}

const CONNECT_EVERY_MS = 500;
/** Notices a connection that is open but dead. */
const PING_EVERY_MS = 5_000;

/** Is notified of what workers of all processes do to the turns of this one. What it misses, the renewal of the leases finds. */
export function followBursts(databaseUrl: string, { onTurn, signal, onError }: BurstListener): void {
  const listen = async () => {
    const channel = await openBurstChannel(databaseUrl, onTurn);
    const over = AbortSignal.any([channel.lost, signal]);
    void repeat(() => channel.ping(), {
      everyMs: PING_EVERY_MS,
      signal: over,
      onError: () => channel.close(),
    });
    if (!over.aborted) await once(over, 'abort');
    channel.close();
  };
  void repeat(listen, { everyMs: CONNECT_EVERY_MS, firstAfterMs: 0, signal, onError });
}
