import pg from 'pg';

/** The messages of this process to PostgreSQL for a host, BEGIN and COMMIT included: the next one waits for the answer of each. */
export interface RoundTrips {
  /** Those since the last call, in their order over all connections. */
  take(hostId: string): string[];
  stop(): void;
}

/** Records what is sent within transactions of hosts; everything else of this process is left out. */
export function recordRoundTrips(): RoundTrips {
  const sent: { readonly hostId: string; readonly text: string }[] = [];
  const hostOf = new WeakMap<object, string>();
  const stop = watchMessages((text, connection) => {
    const opened = /^begin;.*parley\.hosts = '\{([0-9a-f-]+)\}'/.exec(text)?.[1];
    if (opened) hostOf.set(connection, opened);
    const hostId = hostOf.get(connection);
    if (hostId) sent.push({ hostId, text: text.replaceAll(/\s+/g, ' ').trim() });
    if (/^(?:commit|rollback)\b/i.test(text)) hostOf.delete(connection);
  });
  return {
    take(hostId) {
      const taken = sent.filter(message => message.hostId === hostId).map(({ text }) => text);
      sent.splice(0, sent.length, ...sent.filter(message => message.hostId !== hostId));
      return taken;
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
