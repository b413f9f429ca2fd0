import type { Db } from '../db/connection.ts';
import { findHostBySlug } from '../db/hosts/hosts.ts';
import { insertSignInLink } from '../db/hosts/sign-in-links.ts';
import { makeToken } from '../db/hosts/token-text.ts';
import { insertToken } from '../db/hosts/tokens.ts';
import { readConfig } from '../platform/config.ts';
import type { TokenScope } from '../queues/contract/operation.ts';

export interface LinkOptions {
  readonly host: string;
  /** The base address of the service; where absent, this machine. */
  readonly url: string | undefined;
  readonly scopes: readonly TokenScope[];
  readonly expiresAt: Date | null;
  readonly name: string;
}

/** Long enough to be sent and opened. */
const VALID_MINUTES = 10;

/**
 * A link to the console that signs in once. Its secret is behind the `#`, which browsers send to no server, and only its
 * hash is stored.
 */
export async function createSignInLink(tx: Db, options: LinkOptions): Promise<string> {
  const { port, publicUrl } = readConfig();
  const { host: slug, url = publicUrl ?? `http://localhost:${port}`, ...rights } = options;
  const host = await findHostBySlug(tx, slug);
  if (!host) throw new Error(`There is no host "${slug}".`);
  // The text of this token is known to nobody: the exchange replaces its hash.
  const tokenId = await insertToken(tx, { ...rights, hash: makeToken().hash, hostIds: [host.id] });
  const { text, hash } = makeToken('lnk');
  await insertSignInLink(tx, { hash, tokenId, minutes: VALID_MINUTES });
  return `${new URL('/console', url).href}#entrar=${text}`;
}
