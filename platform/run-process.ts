import closeWithGrace from 'close-with-grace';
import type { Logger } from 'pino';
import { type Config, readConfig } from './config.ts';
import { makeLog } from './log.ts';
import { SettingError, WRONG_SETTING_CODE } from './setting-error.ts';
import { PROCESS_ENDS_WITHIN_MS, WORK_ENDS_WITHIN_MS } from './shutdown-limits.ts';
import { findWeakSecrets } from './weak-secrets.ts';

/** What a process needs that is part of a running service; the launcher makes these where nobody set them. */
export interface ServiceConfig extends Config {
  readonly databaseUrl: string;
  readonly secretKey: string;
}

/**
 * The life of one process: settings, start, and an orderly end on SIGTERM or Ctrl-C, or when the launcher that
 * started it is gone. One that cannot start exits with one line that says why, to be started again.
 */
export async function runProcess(
  name: string,
  start: (config: ServiceConfig, log: Logger) => Promise<{ close(graceMs: number): Promise<void> }>,
): Promise<void> {
  const config = readConfig();
  const log = makeLog(name, config.logLevel);
  if (!isServiceConfig(config)) {
    process.stderr.write('setting "DATABASE_URL" is required here; npm start brings a database of its own\n');
    process.exit(WRONG_SETTING_CODE);
  }
  for (const line of findWeakSecrets(config)) {
    process.stderr.write(`${line}\n`);
    process.exitCode = WRONG_SETTING_CODE;
  }
  if (process.exitCode) process.exit();
  const { otelExporterOtlpEndpoint: collector } = config;
  // What traces is large, and loaded by those who want it alone.
  const tracing = collector && (await import('./tracing.ts')).startTracing(name, collector);
  const running = await start(config, log).catch((error: Error) => {
    log.fatal({ reason: error.message }, `${name} cannot start`);
    process.exit(error instanceof SettingError ? WRONG_SETTING_CODE : 1);
  });
  const ending = closeWithGrace(
    { delay: PROCESS_ENDS_WITHIN_MS, logger: false, skip: ['SIGTERM', 'SIGINT'] },
    async ({ err }) => {
      if (err) log.fatal({ err }, 'a bug ends this process');
      else log.info('closing');
      await running.close(WORK_ENDS_WITHIN_MS);
      if (tracing) await tracing.close();
    },
  );
  // One Ctrl-C may reach us twice, by the terminal and by the launcher; by default the second would end us at once.
  let isEnding = false;
  const end = () => {
    if (!isEnding) ending.close();
    isEnding = true;
  };
  for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.on(event, end);
}

function isServiceConfig(config: Config): config is ServiceConfig {
  return config.databaseUrl !== undefined && config.secretKey !== undefined;
}
