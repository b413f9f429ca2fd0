import { ensureDatabase } from '../../db/embedded.ts';
import type { Config } from '../../platform/config.ts';
import { EMBEDDED_DATABASE } from '../database-url.ts';
import { readOrCreateSecret } from './secret-file.ts';

/** Adds the embedded database and generated secrets to the environment. */
export async function addEmbeddedSettings<Env extends NodeJS.ProcessEnv>(
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
