import { withinMs } from '../platform/within-ms.ts';
import { cacheResultFor } from './shared-for.ts';

/** Whether the database takes writes: one that is read-only or full still answers every ping. */
export interface Heartbeat {
  /** Rejects when the last write failed. Who asks within a second of another shares its answer. */
  check(): Promise<void>;
  stop(): void;
}

interface HeartbeatParts {
  write(): Promise<void>;
  noteFailure(error: unknown): void;
  noteSuccess(): void;
}

const BEAT_EVERY_MS = 5_000;
const SHARED_MS = 1_000;
const WITHIN_MS = 1_500;

export function keepHeartbeat({ write, noteSuccess, noteFailure }: HeartbeatParts): Heartbeat {
  const check = cacheResultFor(SHARED_MS, async () => {
    try {
      await withinMs(write(), WITHIN_MS);
      noteSuccess();
    } catch (error) {
      noteFailure(error);
      throw error;
    }
  });
  const timer = setInterval(() => void check().catch(() => undefined), BEAT_EVERY_MS).unref();
  return { check, stop: () => clearInterval(timer) };
}
