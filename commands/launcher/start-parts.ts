import type { Config } from '../../platform/config.ts';
import { whenAborted } from '../../platform/when-aborted.ts';
import { choosePort } from './choose-port.ts';
import { superviseDatabase } from './database-supervisor.ts';
import { startOfflineModel } from './offline-model.ts';
import { printLine } from './print-line.ts';
import type { RunningParts } from './running-parts.ts';
import { withEmbedded } from './with-embedded.ts';

export interface Launch {
  readonly config: Config;
  /** The original environment, for the child processes. */
  readonly parentEnv: NodeJS.ProcessEnv;
  readonly procfile: string;
}

/** Only this machine can connect, unless `HOST` is set. */
export const OWN_MACHINE = '127.0.0.1';

/** Returns the environment of the processes, in which every part is configured. */
export async function startParts(
  { config, parentEnv }: Launch,
  dataDir: string,
  running: RunningParts,
  stop: AbortSignal,
): Promise<NodeJS.ProcessEnv> {
  const host = config.host ?? OWN_MACHINE;
  const port = await choosePort(config.port, parentEnv.PORT !== undefined, host);
  if (port !== config.port)
    printLine(`port ${config.port} is in use; using port ${port} (PORT chooses another)`);
  const own = {
    APP_ENV: parentEnv.APP_ENV ?? 'development',
    DATA_DIR: dataDir,
    HOST: host,
    PORT: String(port),
  };
  let env = { ...parentEnv, ...own };
  const isModelSet = Boolean(config.openaiApiKey || config.openaiBaseUrl);
  // Started first: it does not need the database, which starts slowly.
  const model = isModelSet ? undefined : startOfflineModel(env);
  if (model) running.processes.push(model.process);
  if (!config.databaseUrl) {
    printLine('starting PostgreSQL');
    running.database = await superviseDatabase(dataDir);
    env = await withEmbedded(env, config, running.database.url, dataDir);
  }
  stop.throwIfAborted();
  return model ? { ...env, ...(await Promise.race([model.settings, whenAborted(stop)])) } : env;
}
