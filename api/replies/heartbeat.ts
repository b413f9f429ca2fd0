import { repeat } from '../../platform/repeat.ts';
import { withinMs } from '../../platform/within-ms.ts';
import { cacheResultFor } from './cache-result.ts';

/** Checks that the database accepts writes: a read-only or full database still answers pings. */
export interface Heartbeat {
  /** Rejects if the last write failed. Calls within `SHARED_MS` share one result. */
  check(): Promise<void>;
  /** Whether the last write succeeded. */
  isWritable(): boolean;
}

interface HeartbeatParts {
  write(): Promise<void>;
  readonly signal: AbortSignal;
  noteFailure(error: unknown): void;
  noteSuccess(): void;
}

const BEAT_EVERY_MS = 5_000;
const SHARED_MS = 1_000;
const WRITE_TIMEOUT_MS = 1_500;

export function startHeartbeat({ write, signal, noteSuccess, noteFailure }: HeartbeatParts): Heartbeat {
  let isWritable = true;
  const check = cacheResultFor(SHARED_MS, async () => {
    try {
      await withinMs(write(), WRITE_TIMEOUT_MS);
      isWritable = true;
      noteSuccess();
    } catch (error) {
      isWritable = false;
      noteFailure(error);
      throw error;
    }
  });
  // `noteFailure` has the error already.
  void repeat(check, { everyMs: BEAT_EVERY_MS, signal, onError: () => {} });
  return { check, isWritable: () => isWritable };
}
