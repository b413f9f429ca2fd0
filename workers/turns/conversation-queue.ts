/**
 * The turns of this process that wait for a conversation. Whose time it is, over all processes, is decided in the
 * database; this only says who asks there, and when:
 *   - while a turn of this process has the conversation, nobody, until it ends;
 *   - else the one that arrived first, again and again, for another process has it;
 *   - everybody now and then, so that the database goes on counting with them.
 */
export interface ConversationQueue {
  /** Asks until there is an answer; rejects when the signal is aborted first. */
  wait<T>(place: Place, ask: () => Promise<T | undefined>): Promise<T>;
  begin(conversationId: string): void;
  end(conversationId: string): void;
}

export interface Place {
  readonly jobId: string;
  readonly conversationId: string;
  readonly arrivedAt: number;
  readonly signal: AbortSignal;
}

export interface ConversationQueueOptions {
  readonly askAgainMs: number;
  readonly stayKnownMs: number;
}

interface Waiting {
  readonly place: Place;
  wake: () => void;
}

export function makeConversationQueue({
  askAgainMs,
  stayKnownMs,
}: ConversationQueueOptions): ConversationQueue {
  const lines = new Map<string, Waiting[]>();
  const running = new Set<string>();

  async function askInTurn<T>(line: Waiting[], waiting: Waiting, ask: () => Promise<T | undefined>) {
    const { conversationId, signal } = waiting.place;
    for (;;) {
      const isNext = line[0] === waiting && !running.has(conversationId);
      await woken(waiting, isNext ? askAgainMs : stayKnownMs, signal);
      const answer = await ask();
      if (answer !== undefined) return answer;
    }
  }

  return {
    async wait(place, ask) {
      const { conversationId } = place;
      const line = lines.get(conversationId) ?? [];
      lines.set(conversationId, line);
      const waiting: Waiting = { place, wake: () => {} };
      line.splice(line.findLastIndex(other => isBefore(other.place, place)) + 1, 0, waiting);
      try {
        return await askInTurn(line, waiting, ask);
      } finally {
        line.splice(line.indexOf(waiting), 1);
        if (line.length === 0) lines.delete(conversationId);
        else line[0]?.wake();
      }
    },
    begin: conversationId => running.add(conversationId),
    end(conversationId) {
      running.delete(conversationId);
      lines.get(conversationId)?.[0]?.wake();
    },
  };
}

/** To the letter as the database has it, or the one who asks would not be the one who may. */
function isBefore(one: Place, other: Place): boolean {
  return one.arrivedAt === other.arrivedAt ? one.jobId < other.jobId : one.arrivedAt < other.arrivedAt;
}

/** Resolves when woken, or by itself after a while. */
function woken(waiting: Waiting, afterMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const over = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      waiting.wake = () => {};
    };
    const stop = () => {
      over();
      reject(signal.reason as Error);
    };
    waiting.wake = () => {
      over();
      resolve();
    };
    const timer = setTimeout(() => waiting.wake(), afterMs);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
}
