import closeWithGrace from 'close-with-grace';
import type { Logger } from 'pino';
import { type Config, findMisspeltSettings, readConfig } from './config.ts';
import { SettingError, WRONG_SETTING_CODE } from './field-error.ts';
import { makeLog } from './log.ts';
import { PROCESS_ENDS_WITHIN_MS, WORK_ENDS_WITHIN_MS } from './shutdown-limits.ts';
import { exitOnWeakSecrets } from './weak-secrets.ts';

/** Settings that every service process requires; the launcher generates them if they are not set. */
export interface ServiceConfig extends Config {
  readonly databaseUrl: string;
  readonly secretKey: string;
}

/** Any long time will do: the interval does nothing. */
const KEPT_ALIVE_MS = 3_600_000;

/**
 * Runs one process: reads the settings, starts, and shuts down gracefully on SIGTERM or Ctrl-C, or when the launcher
 * exits. If the start fails, it logs the reason and exits, so that the process manager can restart it.
 */
export async function runProcess(
  name: string,
  start: (config: ServiceConfig, log: Logger) => Promise<{ close(graceMs: number): Promise<void> }>,
): Promise<void> {
  const config = readConfig();
  const log = makeLog(name, config.logLevel);
  if (!isServiceConfig(config)) {
    process.stderr.write('setting "DATABASE_URL" is required; only npm start includes a database\n');
    process.exit(WRONG_SETTING_CODE);
  }
  exitOnWeakSecrets(config);
  for (const [name, meant] of findMisspeltSettings())
    log.warn({ event: 'setting.unknown', name, meant }, `nobody reads ${name}: is ${meant} meant?`);
  const { otelExporterOtlpEndpoint: collector } = config;
  // Loaded only if enabled, because the tracing libraries are large.
  const tracing = collector && (await import('./tracing.ts')).startTracing(name, collector);
  const running = await start(config, log).catch((error: Error) => {
    if (error instanceof SettingError) {
      process.stderr.write(`${error.message}\n`);
      process.exit(WRONG_SETTING_CODE);
    }
    log.fatal({ event: 'process.start_failed', reason: error.message }, `${name} cannot start`);
    process.exit(1);
  });
  const ending = closeWithGrace(
    { delay: PROCESS_ENDS_WITHIN_MS, logger: false, skip: ['SIGTERM', 'SIGINT'] },
    async ({ err }) => {
      if (err) log.fatal({ event: 'process.crashed', err }, 'process crashed with an uncaught error');
      else log.info({ event: 'process.stopping' }, 'process is stopping');
      await running.close(WORK_ENDS_WITHIN_MS);
      if (tracing) await tracing.close();
    },
  );
  // This keeps the process alive until it is told to stop: an outage may close all its connections.
  setInterval(() => {}, KEPT_ALIVE_MS);
  // Ctrl-C may arrive twice, from the terminal and from the launcher; by default the second one exits immediately.
  let isEnding = false;
  const end = () => {
    if (!isEnding) ending.close();
    isEnding = true;
  };
  for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.on(event, end);
  // The launcher died before the listeners were there.
  if (process.send !== undefined && !process.connected) end();
}

function isServiceConfig(config: Config): config is ServiceConfig {
  return config.databaseUrl !== undefined && config.secretKey !== undefined;
}
