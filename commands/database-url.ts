import { findEmbedded } from '../db/embedded.ts';
import type { Config } from '../platform/config.ts';
import { SettingError } from '../platform/field-error.ts';

export const EMBEDDED_DATABASE = 'parley';

/**
 * Returns the URL of the configured database, or of the embedded one that runs for the data folder; throws if there is neither.
 */
export async function findDatabaseUrl({ databaseUrl, dataDir }: Config): Promise<string> {
  if (databaseUrl) return databaseUrl;
  const found = await findEmbedded(dataDir);
  if (found) return new URL(EMBEDDED_DATABASE, found.url).href;
  throw new SettingError(
    `No database: set DATABASE_URL, or run npm start on the data folder ${dataDir} first.`,
  );
}
