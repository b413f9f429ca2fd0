import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import getPort from 'get-port';
import { wrongAddressOf } from '../../api/bind.ts';
import { ensureDatabase } from '../../db/embedded.ts';
import type { Config } from '../../platform/config.ts';
import { whenAborted } from '../../platform/link-signals.ts';
import { EMBEDDED_DATABASE } from '../database-url.ts';
import { type RunningParts, superviseDatabase } from './database-supervisor.ts';
import { printLine } from './print-line.ts';
import { SupervisedProcess } from './supervised-process.ts';

export interface Launch {
  readonly config: Config;
  /** The original environment, for the child processes. */
  readonly parentEnv: NodeJS.ProcessEnv;
  readonly procfile: string;
}

/** Only this machine can connect, unless `HOST` is set. */
export const OWN_MACHINE = '127.0.0.1';

const root = dirname(createRequire(import.meta.url).resolve('#package.json'));
/** The program in `dist`, or its source if this file is a source; sources need the loader options of this process. */
const path = extname(import.meta.url) === '.js' ? 'dist/offline-model/main.js' : 'offline-model/main.ts';
const program = [...process.execArgv, join(root, path)];

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
  // Without prices, nothing has cost anything but the past of the demonstration.
  const currency = config.pricesCurrency ?? (config.modelPrices ? undefined : 'BRL');
  let env: NodeJS.ProcessEnv = {
    ...parentEnv,
    DATA_DIR: dataDir,
    HOST: host,
    PORT: String(port),
    ...(currency && { PRICES_CURRENCY: currency }),
  };
  const isModelSet = Boolean(config.openaiApiKey || config.openaiBaseUrl);
  // The model starts first: it does not need the database, which starts slowly.
  const model = isModelSet ? undefined : startOfflineModel(env);
  if (model) running.processes.push(model.process);
  if (!config.databaseUrl) {
    printLine('starting PostgreSQL');
    running.database = await superviseDatabase(dataDir);
    env = await addEmbeddedSettings(env, config, running.database.url, dataDir);
  }
  stop.throwIfAborted();
  return model ? { ...env, ...(await Promise.race([model.settings, whenAborted(stop)])) } : env;
}

/** Returns the wanted port if it is free, otherwise a free one, unless the port was set explicitly. */
export async function choosePort(wanted: number, isExplicit: boolean, host: string): Promise<number> {
  const port = await getPort({ port: wanted, host }).catch((error: unknown) => {
    throw wrongAddressOf(error, { port: wanted, host }) ?? error;
  });
  if (isExplicit && wanted !== 0 && port !== wanted)
    throw new Error(`port ${wanted} is in use, or not allowed: set PORT to another one`);
  return port;
}

/** Adds the embedded database and generated secrets to the environment. */
async function addEmbeddedSettings<Env extends NodeJS.ProcessEnv>(
  env: Env,
  { secretKey, opsPassword }: Config,
  serverUrl: string,
  dataDir: string,
): Promise<Env> {
  return {
    ...env,
    DATABASE_URL: await ensureDatabase(serverUrl, EMBEDDED_DATABASE),
    SECRET_KEY: secretKey ?? (await readOrCreateSecret(dataDir, 'secret-key')),
    OPS_PASSWORD: opsPassword ?? (await readOrCreateSecret(dataDir, 'ops-password')),
  };
}

/** Reads a secret of this installation; the first start creates it in the data folder, readable only by its owner. */
async function readOrCreateSecret(dataDir: string, name: string): Promise<string> {
  const path = join(dataDir, name);
  const stored = (await readFile(path, 'utf8').catch(() => '')).trim();
  if (stored) return stored;
  const secret = randomBytes(24).toString('base64url');
  await writeFile(path, `${secret}\n`, { mode: 0o600 });
  return secret;
}

interface OfflineModel {
  readonly process: SupervisedProcess;
  readonly settings: Promise<Record<string, string>>;
}

/** Starts the offline model. The system chooses its port; a restart keeps it. */
function startOfflineModel(env: NodeJS.ProcessEnv): OfflineModel {
  let port = 0;
  let found: (port: number) => void;
  const listening = new Promise<number>(resolve => {
    found = resolve;
  });
  const command = () => ['node', ...program, '--port', String(port)];
  const lasting = new SupervisedProcess(
    () => ({ name: 'model', command: command(), env }),
    line => {
      const [, listening] = /^\{"listening": ?(\d+)\}$/.exec(line) ?? [];
      if (listening === undefined) return false;
      port ||= Number(listening);
      found(port);
      return true;
    },
  );
  return { process: lasting, settings: listening.then(settingsFor) };
}

function settingsFor(port: number): Record<string, string> {
  return {
    OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
    OPENAI_API_KEY: 'offline',
    OPENAI_MODEL: 'offline-extractive',
  };
}
