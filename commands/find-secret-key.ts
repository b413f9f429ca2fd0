import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../platform/config.ts';
import { SettingError } from '../platform/setting-error.ts';

/** The key of the installation, or that of the embedded one in the data folder. */
export async function findSecretKey({ secretKey, dataDir }: Config): Promise<string> {
  const key = secretKey ?? (await readFile(join(dataDir, 'secret-key'), 'utf8').catch(() => '')).trim();
  if (key) return key;
  throw new SettingError(`No key: set SECRET_KEY, or run npm start on the data folder ${dataDir} first.`);
}
