import { mkdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Config } from '../../platform/config.ts';
import { ALL_ENDS_WITHIN_MS, CHILDREN_END_WITHIN_MS } from '../../platform/shutdown-limits.ts';
import { findWeakSecrets } from '../../platform/weak-secrets.ts';
import { whenAborted } from '../../platform/when-aborted.ts';
import { choosePort } from './choose-port.ts';
import { type DatabaseSupervisor, superviseDatabase } from './database-supervisor.ts';
import { composeGreeting } from './greeting.ts';
import { startOfflineModel } from './offline-model.ts';
import { printLine } from './print-line.ts';
import { parseProcfile } from './procfile.ts';
import { takeStartLock } from './start-lock.ts';
import { startProcesses } from './start-processes.ts';
import type { StopSignals } from './stop-signals.ts';
import type { SupervisedProcess } from './supervised-process.ts';
import { withEmbedded } from './with-embedded.ts';

/*
 * Runs everything on one machine. Parts that the settings do not name are started here: the database, the queue (in
 * the database), the model. Order: lock, database, model, `release` once, then the supervised processes, which load
 * their modules meanwhile. On a signal the processes are stopped first, then the database, then the lock is released; a
 * start that fails halfway stops in the same order.
 */

export interface Launch {
  readonly config: Config;
  /** The original environment, for the child processes. */
  readonly parentEnv: NodeJS.ProcessEnv;
  readonly procfile: string;
}

/** Only this machine can connect, unless `HOST` is set. */
const OWN_MACHINE = '127.0.0.1';

/** Running parts, to be stopped. */
interface RunningParts {
  readonly processes: SupervisedProcess[];
  database?: DatabaseSupervisor;
}

/** Runs until it is stopped, and leaves nothing running. Throws when the start fails. */
export async function launch(plan: Launch, signals: StopSignals): Promise<void> {
  assertStrongSecrets(plan);
  const dataDir = resolve(plan.config.dataDir);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const unlock = await takeStartLock(dataDir);
  const running: RunningParts = { processes: [] };
  try {
    const lines = parseProcfile(await readFile(plan.procfile, 'utf8'));
    const own = await chooseOwnSettings(plan, dataDir);
    const all = startParts(plan, own, running, signals.stop);
    // Demonstration hosts are inserted into the embedded database only.
    const started = startProcesses(lines, { own, all, seeds: !plan.config.databaseUrl }, signals);
    running.processes.push(...started.processes);
    const env = await started.settings;
    void greet(env, dataDir, running, signals.stop);
    await Promise.race([whenAborted(signals.stop), ...running.processes.map(({ gaveUp }) => gaveUp)]);
  } catch (error) {
    if (!signals.stop.aborted) throw error;
  } finally {
    await stopAll(running, signals.forceStop);
    unlock();
  }
}

/** Each process would refuse them, again and again. */
function assertStrongSecrets({ config, parentEnv }: Launch): void {
  const [line] = findWeakSecrets({ ...config, appEnv: parentEnv.APP_ENV ?? 'development' });
  if (line) throw new Error(line);
}

/** The environment of the processes, without what the parts add that are started here. */
async function chooseOwnSettings({ config, parentEnv }: Launch, dataDir: string): Promise<NodeJS.ProcessEnv> {
  const host = config.host ?? OWN_MACHINE;
  const port = await choosePort(config.port, parentEnv.PORT !== undefined, host);
  if (port !== config.port)
    printLine(`port ${config.port} is in use; using port ${port} (PORT chooses another)`);
  const APP_ENV = parentEnv.APP_ENV ?? 'development';
  return { ...parentEnv, APP_ENV, DATA_DIR: dataDir, HOST: host, PORT: String(port) };
}

/** Returns the environment of the processes, in which every part is configured. */
async function startParts(
  { config }: Launch,
  own: NodeJS.ProcessEnv,
  running: RunningParts,
  stop: AbortSignal,
): Promise<NodeJS.ProcessEnv> {
  let env = own;
  const isModelSet = Boolean(config.openaiApiKey || config.openaiBaseUrl);
  // Started first: it does not need the database, which starts slowly.
  const model = isModelSet ? undefined : startOfflineModel(env);
  if (model) running.processes.push(model.process);
  if (!config.databaseUrl) {
    const dataDir = String(own.DATA_DIR);
    printLine('starting PostgreSQL');
    running.database = await superviseDatabase(dataDir);
    env = await withEmbedded(env, config, running.database.url, dataDir);
  }
  stop.throwIfAborted();
  return model ? { ...env, ...(await Promise.race([model.settings, whenAborted(stop)])) } : env;
}

/** Secrets are printed on a terminal only, never into a log. */
async function greet(
  env: NodeJS.ProcessEnv,
  dataDir: string,
  { database }: RunningParts,
  stop: AbortSignal,
): Promise<void> {
  const embedded = database && { databaseUrl: String(env.DATABASE_URL) };
  const greeted = {
    base: `http://${addressOf(env.HOST)}:${env.PORT}`,
    opsPassword: env.OPS_PASSWORD,
    dataDir,
    embedded,
    showsSecrets: process.stdout.isTTY,
  };
  try {
    process.stdout.write(await composeGreeting(greeted, stop));
  } catch (error) {
    if (!stop.aborted)
      printLine(`ready at ${greeted.base}, but the demonstration cannot be read: ${String(error)}`);
  }
}

/** The address at which this machine reaches the service. */
function addressOf(host: string | undefined): string {
  if (host === undefined || host === '0.0.0.0') return OWN_MACHINE;
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

async function stopAll({ processes, database }: RunningParts, forcedByUser: AbortSignal): Promise<void> {
  const startedAt = Date.now();
  const forceStop = AbortSignal.any([forcedByUser, AbortSignal.timeout(CHILDREN_END_WITHIN_MS)]);
  await Promise.all(processes.map(process => process.stop(forceStop)));
  const leftMs = ALL_ENDS_WITHIN_MS - (Date.now() - startedAt);
  forcedByUser.addEventListener('abort', () => void database?.stop(0).catch(() => {}));
  await database?.stop(forcedByUser.aborted ? 0 : leftMs);
}
