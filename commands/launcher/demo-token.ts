import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, type Db } from '../../db/connection.ts';
import { setActor } from '../../db/hosts/actor.ts';
import { findHostBySlug } from '../../db/hosts/hosts.ts';
import { listPeople, setPersonLink } from '../../db/hosts/people.ts';
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
  /** Undefined where the team of the demonstration host has no admin. */
  readonly signIn: SignIn | undefined;
}

/** A link to the console, for one person and one use. */
interface SignIn {
  readonly name: string;
  /** What follows the address of the console. */
  readonly fragment: string;
}

/** Longer than anybody waits to open what was printed; the next start prints another one. */
const LINK_HOURS = 12;

/** The demonstration host, with a valid token; undefined where there is no such host. */
export async function openDemo(databaseUrl: string, dataDir: string): Promise<Demo | undefined> {
  const db = connect(databaseUrl, { max: 1, applicationName: 'parley-launcher' });
  try {
    const host = await findHostBySlug(db, 'demo');
    if (!host) return undefined;
    const token = await ensureDemoToken(db, host.id, dataDir);
    return { hostId: host.id, token, signIn: await makeSignIn(db, host.id) };
  } finally {
    await db.destroy();
  }
}

/** As an invitation does. */
async function makeSignIn(db: Db, hostId: string): Promise<SignIn | undefined> {
  return db.transaction(async tx => {
    const scope = { tx, hostId };
    const admin = (await listPeople(scope)).find(({ role, disabled }) => role === 'admin' && !disabled);
    if (!admin) return undefined;
    await setActor(tx, commandActorOf('start'));
    const { text, hash } = makeToken('lnk');
    await setPersonLink(scope, admin.personId, { hash, hours: LINK_HOURS });
    return { name: admin.name, fragment: `#entrar=${text}` };
  });
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
