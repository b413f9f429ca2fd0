/**
 * The turns of this process that wait for a conversation. The database decides over all processes which turn is next;
 * this order only decides which turn tries to claim, and when:
 *   - no turn while a turn of this process has the conversation, until it ends;
 *   - otherwise the turn that arrived first, every `pollMs`, because another process has the conversation;
 *   - every turn each `refreshMs`, so that its entry in the database stays alive.
 */
export interface TurnOrder {
  /** Lets a turn wait, in the order of arrival. It has to leave its place in any case. */
  enter(turn: WaitingTurn): PlaceInOrder;
  /** Whether one more turn of this conversation and host may wait: each costs memory, and a claim every `refreshMs`. */
  hasRoomFor(turn: Pick<WaitingTurn, 'conversationId' | 'hostId'>): boolean;
  /** Lets a waiting turn try at once. */
  wake(turnId: string): void;
  begin(conversationId: string): void;
  end(conversationId: string): void;
}

export interface PlaceInOrder {
  /** Resolves when the turn is to try again; rejects when its signal is aborted first. */
  waitForTry(): Promise<void>;
  /** The turn that is first then tries at once. */
  leave(): void;
}

export interface WaitingTurn {
  readonly turnId: string;
  readonly hostId: string;
  readonly conversationId: string;
  readonly arrivedAt: number;
  readonly signal: AbortSignal;
}

export interface TurnOrderOptions {
  readonly pollMs: number;
  readonly refreshMs: number;
}

const MAX_OF_CONVERSATION = 50;
const MAX_OF_HOST = 200;

interface Entry {
  readonly turn: WaitingTurn;
  wake: () => void;
}

export function makeTurnOrder({ pollMs, refreshMs }: TurnOrderOptions): TurnOrder {
  const waiting = new Map<string, Entry[]>();
  const running = new Set<string>();
  const waitingOf = (hostId: string) =>
    [...waiting.values()].flat().filter(({ turn }) => turn.hostId === hostId).length;

  return {
    enter(turn) {
      const { conversationId, signal } = turn;
      const entries = waiting.get(conversationId) ?? [];
      waiting.set(conversationId, entries);
      const entry: Entry = { turn, wake: () => {} };
      entries.splice(entries.findLastIndex(other => isBefore(other.turn, turn)) + 1, 0, entry);
      return {
        waitForTry() {
          const isNext = entries[0] === entry && !running.has(conversationId);
          return waitForWake(entry, isNext ? pollMs : refreshMs, signal);
        },
        leave() {
          entries.splice(entries.indexOf(entry), 1);
          if (entries.length === 0) waiting.delete(conversationId);
          else entries[0]?.wake();
        },
      };
    },
    hasRoomFor: ({ conversationId, hostId }) =>
      (waiting.get(conversationId)?.length ?? 0) < MAX_OF_CONVERSATION && waitingOf(hostId) < MAX_OF_HOST,
    wake(turnId) {
      for (const entry of [...waiting.values()].flat()) if (entry.turn.turnId === turnId) entry.wake();
    },
    begin: conversationId => running.add(conversationId),
    end(conversationId) {
      running.delete(conversationId);
      waiting.get(conversationId)?.[0]?.wake();
    },
  };
}

/** Must match the order in db/conversations (turns.ts, bursts.ts): otherwise the turn that polls is not the one let in. */
function isBefore(one: WaitingTurn, other: WaitingTurn): boolean {
  return one.arrivedAt === other.arrivedAt ? one.turnId < other.turnId : one.arrivedAt < other.arrivedAt;
}

/** Resolves when the entry is woken, at the latest after `afterMs`. */
function waitForWake(entry: Entry, afterMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const cleanUp = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      entry.wake = () => {};
    };
    const stop = () => {
      cleanUp();
      reject(signal.reason as Error);
    };
    entry.wake = () => {
      cleanUp();
      resolve();
    };
    const timer = setTimeout(() => entry.wake(), afterMs);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
}
