import { findEmbedded } from '../db/embedded.ts';
import type { Config } from '../platform/config.ts';

/** The database of the launcher in its embedded server. */
export const EMBEDDED_DATABASE = 'parley';

/** What a command works on: the database that is set, else the embedded one that runs for its data folder; throws without. */
export async function databaseUrlOf({ databaseUrl, dataDir }: Config): Promise<string> {
  if (databaseUrl) return databaseUrl;
  const found = await findEmbedded(dataDir);
  if (found) return new URL(EMBEDDED_DATABASE, found.url).href;
  throw new Error(`No database: set DATABASE_URL, or run npm start on the data folder ${dataDir} first.`);
}
