import type { Logger } from 'pino';

/** Tells of a part that is away in one line when it goes, one a minute, and one when it is back. */
export interface OutageLog {
  failed(error: unknown): void;
  /** It ends an outage where nothing has failed for a while. */
  worked(): void;
}

export interface WatchedPart {
  /** For the field `event`: `<event>.lost`, `<event>.still_lost`, `<event>.back`. */
  readonly event: string;
  /** For people, as `the database`. */
  readonly name: string;
  /** How long nothing may fail before it counts as back. */
  readonly quietMs?: number;
}

const REMIND_EVERY_MS = 60_000;
const QUIET_MS = 2_000;

/** What to do about causes that say themselves what they are. */
const remedies: readonly (readonly [RegExp, string])[] = [
  [/\bOOM\b|maxmemory/, 'Redis is full: raise maxmemory, or find what else fills it'],
  [/\bREADONLY\b/, 'this Redis is a replica: let REDIS_URL lead to the primary'],
  [/\bMISCONF\b/, 'Redis cannot save to its disk and takes no writes: see its log and free space'],
  [/\b(NOAUTH|WRONGPASS|NOPERM)\b/, 'check the user and the password in REDIS_URL'],
  [
    /\b(LOADING|MASTERDOWN|CLUSTERDOWN|NOREPLICAS)\b/,
    'Redis is not in order yet: see its log and its replicas',
  ],
  [
    /read-only transaction|\b25006\b/,
    'PostgreSQL takes no writes: let the URL lead to the primary, and see default_transaction_read_only',
  ],
  [/No space left|could not extend|\b53100\b/, 'the disk of PostgreSQL is full: free space or enlarge it'],
  [
    /too many (connections|clients)|\b53300\b/,
    'PostgreSQL has no connection left: raise max_connections or run fewer processes',
  ],
  [/password authentication|\b28P01\b/, 'check the user and the password in DATABASE_URL'],
  [/ENOTFOUND|EAI_AGAIN/, 'its name is not known here: check the URL and the name server'],
  [
    /ECONNREFUSED|no connection|closed|terminated|ECONNRESET|EPIPE/i,
    'see whether it runs, and whether its URL leads there',
  ],
  [/time(d )?out/i, 'it is there but does not answer: see whether it is stopped, overloaded or cut off'],
];

export function makeOutageLog(
  log: Pick<Logger, 'warn' | 'info'>,
  { event, name, quietMs = QUIET_MS }: WatchedPart,
  now: () => number = () => performance.now(),
): OutageLog {
  let outage: { since: number; toldAt: number; failedAt: number; failures: number } | undefined;
  const figuresOf = ({ since, failures }: { since: number; failures: number }) => ({
    failures,
    forSeconds: Math.round((now() - since) / 1_000),
  });
  return {
    failed(error) {
      const at = now();
      if (!outage) {
        outage = { since: at, toldAt: at, failedAt: at, failures: 1 };
        return log.warn({ event: `${event}.lost`, ...causeOf(error) }, `${name} cannot be reached`);
      }
      outage.failures += 1;
      outage.failedAt = at;
      if (at - outage.toldAt < REMIND_EVERY_MS) return;
      outage.toldAt = at;
      const figures = figuresOf(outage);
      log.warn(
        { event: `${event}.still_lost`, ...figures, ...causeOf(error) },
        `${name} still cannot be reached`,
      );
    },
    worked() {
      if (!outage || now() - outage.failedAt < quietMs) return;
      log.info({ event: `${event}.back`, ...figuresOf(outage) }, `${name} can be reached again`);
      outage = undefined;
    },
  };
}

function causeOf(error: unknown): { reason: string; remedy?: string } {
  const reason = reasonOf(error);
  const remedy = remedies.find(([pattern]) => pattern.test(reason))?.[1];
  return { reason, ...(remedy ? { remedy } : {}) };
}

/** Behind the statement that a database's error begins with; without a stack, which is the same every time. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code, errors } = error as Error & { code?: unknown; errors?: readonly Error[] };
  const said = errors?.[0]?.message ?? error.message;
  return [said.slice(said.lastIndexOf(' - ') + 1).replace(/^- /, ''), code].filter(Boolean).join(' ');
}
