import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A secret of this installation: created on the first start and stored in the data folder, readable by its owner
 * only.
 */
export async function readOrCreateSecret(dataDir: string, name: string): Promise<string> {
  const path = join(dataDir, name);
  const stored = (await readFile(path, 'utf8').catch(() => '')).trim();
  if (stored) return stored;
  const secret = randomBytes(24).toString('base64url');
  await writeFile(path, `${secret}\n`, { mode: 0o600 });
  return secret;
}
