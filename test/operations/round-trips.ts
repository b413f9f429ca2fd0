import pg from 'pg';

/** The waits of this process for PostgreSQL within transactions of hosts. What is sent behind a message that has no answer yet waits with it. */
export interface RoundTrips {
  /** The message that began each wait, of the transactions that ended since the last call, in their order over all connections. */
  take(hostId: string): string[];
  stop(): void;
}

interface HostTransaction {
  readonly hostId: string;
  isInBackground: boolean;
  isOver: boolean;
}

/** Workers count the services of a host whenever a conversation has changed: that belongs to no call. */
const BACKGROUND = /\bfold_services\(/;

/** Records what is sent within transactions of hosts; everything else of this process is left out. */
export function recordRoundTrips(): RoundTrips {
  let sent: { readonly transaction: HostTransaction; readonly text: string; readonly isWait: boolean }[] = [];
  const open = new WeakMap<object, HostTransaction>();
  const stop = watchMessages(({ text, connection, isWait }) => {
    const hostId = /^begin;.*parley\.hosts = '\{([0-9a-f-]+)\}'/.exec(text)?.[1];
    if (hostId) open.set(connection, { hostId, isInBackground: false, isOver: false });
    const transaction = open.get(connection);
    if (!transaction) return;
    sent.push({ transaction, text: text.replaceAll(/\s+/g, ' ').trim(), isWait });
    if (BACKGROUND.test(text)) transaction.isInBackground = true;
    if (!/^(?:commit|rollback)\b/i.test(text)) return;
    transaction.isOver = true;
    open.delete(connection);
  });
  return {
    take(hostId) {
      const taken = sent.filter(({ transaction }) => transaction.hostId === hostId);
      sent = sent.filter(({ transaction }) => transaction.hostId !== hostId);
      return taken
        .filter(({ transaction: { isInBackground, isOver }, isWait }) => isWait && isOver && !isInBackground)
        .map(({ text }) => text);
    },
    stop,
  };
}

/** A message of this process to PostgreSQL; it may have several statements. */
interface SentMessage {
  readonly text: string;
  readonly connection: object;
  /** False where the connection waits for the answer of an earlier one anyway. */
  readonly isWait: boolean;
}

/** Calls the listener with each message. Returns what ends it. */
function watchMessages(listener: (message: SentMessage) => void): () => void {
  const original = pg.Client.prototype.query;
  const unanswered = new WeakMap<object, number>();
  pg.Client.prototype.query = function (this: object, ...args: readonly unknown[]) {
    const [query] = args;
    const text = typeof query === 'string' ? query : (query as { readonly text?: string } | undefined)?.text;
    const before = unanswered.get(this) ?? 0;
    if (text !== undefined) listener({ text, connection: this, isWait: before === 0 });
    unanswered.set(this, before + 1);
    const note = () => void unanswered.set(this, (unanswered.get(this) ?? 1) - 1);
    const done = args.at(-1);
    if (typeof done === 'function') {
      const noteAndTell = (...answer: readonly unknown[]) => {
        note();
        return done(...answer);
      };
      return Reflect.apply(original, this, [...args.slice(0, -1), noteAndTell]);
    }
    const answer = Reflect.apply(original, this, args) as unknown as PromiseLike<unknown>;
    answer.then(note, note);
    return answer;
  } as typeof original;
  return () => {
    pg.Client.prototype.query = original;
  };
}
