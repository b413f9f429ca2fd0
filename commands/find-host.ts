import type { Db } from '../db/connection.ts';
import { findHostBySlug } from '../db/hosts/hosts.ts';

/** The id of the host with this slug. */
export async function findHostId(db: Db, slug: string): Promise<string> {
  const host = await findHostBySlug(db, slug);
  if (!host) throw new Error(`There is no host "${slug}".`);
  return host.id;
}
