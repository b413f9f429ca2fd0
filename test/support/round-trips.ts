import pg from 'pg';

/** The statements of this process for a host, BEGIN and COMMIT included: each is one round trip to PostgreSQL. */
export interface RoundTrips {
  /** Those since the last call, in their order over all connections. */
  take(hostId: string): string[];
  stop(): void;
}

/** Records what is sent within transactions of hosts; everything else of this process is left out. */
export function recordRoundTrips(): RoundTrips {
  const sent: { readonly hostId: string; readonly text: string }[] = [];
  const hostOf = new WeakMap<object, string>();
  const original = pg.Client.prototype.query;
  const record = (connection: object, text: string) => {
    const opened = /^begin;.*parley\.hosts = '\{([0-9a-f-]+)\}'/.exec(text)?.[1];
    if (opened) hostOf.set(connection, opened);
    const hostId = hostOf.get(connection);
    if (hostId) sent.push({ hostId, text: text.replaceAll(/\s+/g, ' ').trim() });
    if (/^(?:commit|rollback)\b/i.test(text)) hostOf.delete(connection);
  };
  pg.Client.prototype.query = function (this: object, ...args: readonly unknown[]) {
    const [query] = args;
    const text = typeof query === 'string' ? query : (query as { readonly text?: string } | undefined)?.text;
    if (text !== undefined) record(this, text);
    return Reflect.apply(original, this, args);
  } as typeof original;
  return {
    take(hostId) {
      const taken = sent.filter(statement => statement.hostId === hostId).map(({ text }) => text);
      sent.splice(0, sent.length, ...sent.filter(statement => statement.hostId !== hostId));
      return taken;
    },
    stop() {
      pg.Client.prototype.query = original;
    },
  };
}
