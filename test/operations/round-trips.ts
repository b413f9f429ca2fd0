import pg from 'pg';

/** The messages of this process to PostgreSQL for a host, BEGIN and COMMIT included: the next one waits for the answer of each. */
export interface RoundTrips {
  /** The statements of transactions that ended since the last call, in their order over all connections. */
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
  let sent: { readonly transaction: HostTransaction; readonly text: string }[] = [];
  const open = new WeakMap<object, HostTransaction>();
  const stop = watchMessages((text, connection) => {
    const hostId = /^begin;.*parley\.hosts = '\{([0-9a-f-]+)\}'/.exec(text)?.[1];
    if (hostId) open.set(connection, { hostId, isInBackground: false, isOver: false });
    const transaction = open.get(connection);
    if (!transaction) return;
    sent.push({ transaction, text: text.replaceAll(/\s+/g, ' ').trim() });
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
        .filter(({ transaction: { isInBackground, isOver } }) => isOver && !isInBackground)
        .map(({ text }) => text);
    },
    stop,
  };
}

/** Calls the listener with each message that this process sends to PostgreSQL; it may have several statements. Returns what ends it. */
export function watchMessages(listener: (text: string, connection: object) => void): () => void {
  const original = pg.Client.prototype.query;
  pg.Client.prototype.query = function (this: object, ...args: readonly unknown[]) {
    const [query] = args;
    const text = typeof query === 'string' ? query : (query as { readonly text?: string } | undefined)?.text;
    if (text !== undefined) listener(text, this);
    return Reflect.apply(original, this, args);
  } as typeof original;
  return () => {
    pg.Client.prototype.query = original;
  };
}
