import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, type Db } from '../../db/connection.ts';
import { setActor } from '../../db/hosts/actor.ts';
import { findHostBySlug } from '../../db/hosts/hosts.ts';
import { hashOf, makeToken } from '../../db/hosts/token-text.ts';
import { findToken, insertToken } from '../../db/hosts/tokens.ts';
import { tokenScopes } from '../../queues/contract/operation.ts';
import { makeOrdinaryExpiry } from '../token-defaults.ts';
import { commandActorOf } from '../with-database.ts';

/** File name in the data folder. */
export const DEMO_TOKEN = 'demo-token';

export interface Demo {
  readonly hostId: string;
  readonly token: string;
}

/** The demonstration host, with a valid token; undefined where there is no such host. */
export async function openDemo(databaseUrl: string, dataDir: string): Promise<Demo | undefined> {
  const db = connect(databaseUrl, { max: 1, applicationName: 'parley-launcher' });
  try {
    const host = await findHostBySlug(db, 'demo');
    return host && { hostId: host.id, token: await ensureDemoToken(db, host.id, dataDir) };
  } finally {
    await db.destroy();
  }
}

/**
 * The token of the demonstration host, with all scopes, stored in the data folder; replaced when it is revoked or
 * expired.
 */
async function ensureDemoToken(db: Db, hostId: string, dataDir: string): Promise<string> {
  const path = join(dataDir, DEMO_TOKEN);
  const stored = (await readFile(path, 'utf8').catch(() => '')).trim();
  if (await isGood(db, stored)) return stored;
  const { text, hash } = makeToken();
  await db.transaction(async tx => {
    await setActor(tx, commandActorOf('start'));
    // The console uses every scope.
    const rights = { scopes: tokenScopes, expiresAt: makeOrdinaryExpiry(), hostIds: [hostId] };
    await insertToken(tx, { name: 'demo', hash, ...rights });
  });
  await writeFile(path, `${text}\n`, { mode: 0o600 });
  return text;
}

async function isGood(db: Db, text: string): Promise<boolean> {
  const hash = hashOf(text);
  const token = hash && (await findToken(db, hash));
  return token !== undefined && !token.revoked && !token.expired;
}
