import type { Logger } from 'pino';
import { isStatementCancelled, messageOf, reasonOf } from './error-reason.ts';
import { makeTokenBucket } from './token-bucket.ts';

/** Logs an outage once when it starts, once a minute while it lasts, and once when it ends. */
export interface OutageLog {
  noteFailure(error: unknown): void;
  /** Ends an outage if nothing has failed for `quietMs`. */
  noteSuccess(): void;
}

type OutageLogger = Pick<Logger, 'error' | 'warn' | 'info'>;

export interface WatchedPart {
  /** The prefix of the field `event`: `<event>.lost`, `<event>.still_lost`, `<event>.back`. */
  readonly event: string;
  /** Its name in messages, such as `the database`. */
  readonly name: string;
  readonly fields?: object;
  /** Time without failures after which the outage ends. */
  readonly quietMs?: number;
}

/** Logs a failed background task, unless that is part of an outage that is logged already. */
export type TaskFailureLog = (error: unknown, event: string, message: string, fields?: object) => void;

const REMIND_EVERY_MS = 60_000;
const QUIET_MS = 2_000;
const DEFAULT_DATABASE_QUIET_MS = 4_000;
/** At most this many cancelled statements are logged a minute. */
const CANCELLED_LINES = 5;

export function makeOutageLog(
  log: OutageLogger,
  { event, name, fields = {}, quietMs = QUIET_MS }: WatchedPart,
  now: () => number = () => performance.now(),
): OutageLog {
  let outage: { since: number; loggedAt: number; failedAt: number; failures: number } | undefined;
  const figuresOf = ({ since, failures }: { since: number; failures: number }) => ({
    failures,
    forSeconds: Math.round((now() - since) / 1_000),
  });
  return {
    noteFailure(error) {
      const at = now();
      if (!outage) {
        outage = { since: at, loggedAt: at, failedAt: at, failures: 1 };
        return log.error({ event: `${event}.lost`, ...fields, ...causeOf(error) }, `${name} is unavailable`);
      }
      outage.failures += 1;
      outage.failedAt = at;
      if (at - outage.loggedAt < REMIND_EVERY_MS) return;
      outage.loggedAt = at;
      const figures = figuresOf(outage);
      log.error(
        { event: `${event}.still_lost`, ...fields, ...figures, ...causeOf(error) },
        `${name} is still unavailable`,
      );
    },
    noteSuccess() {
      if (!outage || now() - outage.failedAt < quietMs) return;
      log.info({ event: `${event}.back`, ...fields, ...figuresOf(outage) }, `${name} is available again`);
      outage = undefined;
    },
  };
}

export function makeQueueStoreOutageLog(log: OutageLogger): OutageLog {
  return makeOutageLog(log, { event: 'queue_store', name: 'the queue store' });
}

export function makeFileStoreOutageLog(log: OutageLogger): OutageLog {
  return makeOutageLog(log, { event: 'file_store', name: 'the store of files' });
}

/**
 * Logs outages of the database. A single cancelled statement is no outage: the request of one tenant may take too long. If all
 * are cancelled, the health checks and the connections fail, too.
 */
export function makeDatabaseOutageLog(log: OutageLogger, quietMs = DEFAULT_DATABASE_QUIET_MS): OutageLog {
  const outage = makeOutageLog(log, { event: 'database', name: 'the database', quietMs });
  const cancelled = makeTokenBucket(CANCELLED_LINES, CANCELLED_LINES / 60);
  return {
    ...outage,
    noteFailure(error) {
      if (!isStatementCancelled(error)) outage.noteFailure(error);
      else if (cancelled.take(1))
        log.warn(
          { event: 'database.statement_cancelled', reason: reasonOf(error) },
          'a statement took too long or was in a deadlock, and was cancelled',
        );
    },
  };
}

function causeOf(error: unknown): { reason: string; detail?: string; remedy?: string } {
  const told = messageOf(error);
  const reason = reasonOf(error);
  const remedy = remedies.find(([pattern]) => pattern.test(told))?.[1];
  return { reason, ...(reason === told ? {} : { detail: told }), ...(remedy ? { remedy } : {}) };
}

/** Remedies for known causes. */
const remedies: readonly (readonly [RegExp, string])[] = [
  [/\bOOM\b|maxmemory/, 'Redis is full: raise maxmemory, or find out what uses its memory'],
  [/\bREADONLY\b/, 'this Redis is a replica: set REDIS_URL to the primary'],
  [/\bMISCONF\b/, 'Redis cannot save to disk and rejects writes: check its log and its disk space'],
  [/\b(NOAUTH|WRONGPASS|NOPERM)\b/, 'check the user and the password in REDIS_URL'],
  [
    /\b(MOVED|CROSSSLOT)\b/,
    'this Redis is a node of a cluster: set REDIS_URL to some of its nodes, divided by commas',
  ],
  [/\b(LOADING|MASTERDOWN|CLUSTERDOWN|NOREPLICAS)\b/, 'Redis is not ready: check its log and its replicas'],
  [
    /read-only transaction|\b25006\b/,
    'PostgreSQL is read-only: set the URL to the primary, and check default_transaction_read_only',
  ],
  [/No space left|could not extend|\b53100\b/, 'the disk of PostgreSQL is full: free or add space'],
  [
    /too many (connections|clients)|\b53300\b/,
    'PostgreSQL has no free connections: raise max_connections or run fewer processes',
  ],
  [
    /pool is probably full|timeout exceeded when trying to connect/,
    'check that the database answers, and what holds the connections of this process: long statements, or too many jobs at once',
  ],
  [/password authentication|\b28P01\b/, 'check the user and the password in DATABASE_URL'],
  [/\bNoSuchBucket\b/, 'there is no such bucket: check FILES_S3_URL'],
  [/\bRequestTimeTooSkewed\b/, 'the clock of this machine and that of the store differ: set them'],
  [
    /\b(SignatureDoesNotMatch|InvalidAccessKeyId|AccessDenied)\b/,
    'the store of files refuses the key: check FILES_S3_KEY_ID and FILES_S3_SECRET',
  ],
  [/\bAuthorizationHeaderMalformed\b/, 'the store of files is in another region: check FILES_S3_REGION'],
  [
    /\brefused with 401\b/,
    'the provider refuses the key: check OPENAI_API_KEY, or the key of the avatar’s provider',
  ],
  [
    /\brefused with 429\b/,
    'the provider limits requests or the account is empty: raise its limits, or use fewer turns at once',
  ],
  [/\brefused with 5\d\d\b/, 'the provider fails: see its status page'],
  [/ENOTFOUND|EAI_AGAIN/, 'the host name cannot be resolved: check the URL and the DNS server'],
  [
    /ECONNREFUSED|no connection|closed|terminated|ECONNRESET|EPIPE/i,
    'check that it is running and that the URL is correct',
  ],
  [/E(HOST|NET)(UNREACH|DOWN)/, 'no way leads to its machine: check the URL, the network and the firewall'],
  [
    /un(usable|readable) answer/,
    'the model answers with what cannot be used: set one that keeps to a schema, or INSIGHT_CONCURRENCY=0 where it fails at insights only',
  ],
  [/time(d )?out/i, 'it does not answer: check whether it is stopped, overloaded or blocked by a firewall'],
];
