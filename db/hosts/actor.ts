import pg from 'pg';
import type { Runner } from '../host-transaction.ts';
import { jsonOf, rowsOf } from '../rows-of.ts';

/** The actor of a transaction, for its audit rows (`note_change` in db/functions/audit.sql). */
export type Actor = {
  /** The name of the token, or the operating-system user of the command. */
  readonly name: string;
  readonly operation: string;
} & ({ readonly kind: 'token'; readonly tokenId: string } | { readonly kind: 'command' });

/** Names the actor until the transaction ends. */
export async function setActor(tx: Runner, actor: Actor): Promise<void> {
  await rowsOf(tx)`select set_config('parley.actor', ${jsonOf(actor)}, true)`;
}

/** Does the same as `setActor`, as text without bound values. Knex takes a question mark for one even within a text. */
export function actorStatementOf(actor: Actor): string {
  const json = jsonOf(actor).replaceAll('?', String.raw`\u003f`);
  return `set local parley.actor = ${pg.escapeLiteral(json)}`;
}
