import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { connect, type Db } from '../../db/connection.ts';
import { checkAtStart } from '../../db/database-checks.ts';
import { linkSignals } from '../../platform/link-signals.ts';
import { makeDatabaseOutageLog } from '../../platform/outage-log.ts';
import { registerProcessInfo } from '../../platform/process-info.ts';
import { type KeepOpened, startWithAttempts } from '../../platform/start-attempts.ts';
import { publishMetrics } from '../runtime/publish-metrics.ts';
import { runMaintenance } from './maintenance.ts';
import { limitsOf, type PipelineLimits } from './pipeline-limits.ts';
import { runRelay } from './relay.ts';

export interface IndexerSettings {
  readonly databaseUrl: string;
  readonly appEnv: keyof typeof limitsOf;
  readonly pipelineLimits?: Partial<PipelineLimits>;
}

export interface Indexer {
  /** Rejects when the database stays unreachable; then the process must end. */
  readonly ended: Promise<void>;
  /** Stops the work in progress; events that are not indexed stay in the outbox. */
  close(): Promise<void>;
}

export function startIndexer(settings: IndexerSettings, log: Logger): Promise<Indexer> {
  return startWithAttempts(log, keep => startOnce(settings, log, keep));
}

async function startOnce(settings: IndexerSettings, log: Logger, keep: KeepOpened): Promise<Indexer> {
  const { databaseUrl, appEnv } = settings;
  const limits = { ...limitsOf[appEnv], ...settings.pipelineLimits };
  const db = connect(databaseUrl, { max: 8, applicationName: 'parley-indexer' });
  keep({ close: () => db.destroy() });
  await checkAtStart(db);
  const closing = new AbortController();
  const stop = closing.signal;
  let maintenance: Promise<void> | undefined;
  const lookedAt = new Map<string, string>();
  const onLead = (ended: AbortSignal) => {
    const earlier = maintenance;
    maintenance = (async () => {
      await earlier;
      using until = linkSignals(stop, ended);
      await runMaintenance({ db, databaseUrl, log, limits, stop: until.signal, lookedAt });
    })();
  };
  const ended = runRelay({ db, databaseUrl, limits, log, stop, onLead });
  // Prevents an unhandled rejection before the caller awaits it.
  ended.catch(() => {});
  const published = await publishProcess(db, log);
  log.info({ event: 'indexer.started', ...limits }, 'indexer started');
  return {
    ended,
    async close() {
      closing.abort();
      await ended.catch(() => {});
      await maintenance;
      await published.close();
      await db.destroy();
    },
  };
}

/** Publishes metrics, by which health checks see that an indexer runs. */
async function publishProcess(db: Db, log: Logger) {
  const name = `indexer-${hostname()}-${process.pid}`;
  const registry = new Registry();
  registry.setDefaultLabels({ process: name });
  collectDefaultMetrics({ register: registry });
  registerProcessInfo(registry, { kind: 'indexer', queues: [], key: '', previousKeys: [] });
  return publishMetrics(db, name, registry, makeDatabaseOutageLog(log));
}
