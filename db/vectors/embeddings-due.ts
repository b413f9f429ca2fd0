import type { Db } from '../connection.ts';
import { type Fragment, rowsOf, sql } from '../rows-of.ts';

export interface DueText {
  readonly hostId: string;
  readonly chunkId: string;
  readonly textHash: string;
  readonly text: string;
  /** Set if the host masks personal identifiers. */
  readonly isMasked: boolean;
  readonly hasBudget: boolean;
  /** The number of earlier refusals by the model. */
  readonly refusals: number;
}

/**
 * Claims texts of enabled hosts without a vector in this space, the longest waiting first, for the time of the lease. Never
 * waits for another worker. Works as the owner, for all hosts.
 */
export async function claimDueTexts(
  db: Db,
  space: string,
  most: number,
  leaseMs: number,
): Promise<DueText[]> {
  const first = (which: Fragment) => sql`(
    select host_id, chunk_id from chunk_embeddings
    where ${which} and due_at <= now() and not exists (select from hosts where hosts.id = host_id and disabled)
    order by space, due_at limit ${4 * most}
  )`;
  return rowsOf<DueText>(db)`
    with due_text as materialized (
      select host_id, chunk_id from chunk_embeddings
      where (host_id, chunk_id) in (
        ${first(sql`space = ''`)} union all
        ${first(sql`space > '' and space < ${space}`)} union all
        ${first(sql`space > ${space}`)}
      ) and space <> ${space} and due_at <= now()
      order by space, due_at limit ${most} for update skip locked
    ), claimed_text as (
      update chunk_embeddings chunk_embedding set due_at = now() + ${leaseMs} * interval '1 millisecond'
      from due_text
      where chunk_embedding.host_id = due_text.host_id and chunk_embedding.chunk_id = due_text.chunk_id
      returning chunk_embedding.host_id, chunk_embedding.chunk_id, chunk_embedding.text_hash, chunk_embedding.refusals
    )
    select host_id as "hostId", chunk_id as "chunkId", encode(text_hash, 'hex') as "textHash",
      coalesce(body, content) as text, hosts.mask as "isMasked",
      (monthly_budget is not null or daily_budget is not null) as "hasBudget", refusals
    from claimed_text join chunks using (host_id) join hosts on hosts.id = host_id
    where chunks.id = claimed_text.chunk_id and text_hash_of(coalesce(body, content)) = text_hash`;
}

/** Skips texts that have changed meanwhile: they are due again. */
export async function storeEmbeddings(
  db: Db,
  space: string,
  embedded: readonly { readonly text: DueText; readonly vector: readonly number[] }[],
): Promise<void> {
  const vectors = embedded.map(({ vector }) => JSON.stringify(vector));
  await rowsOf(db)`
    with locked_text as materialized (${lockDueTexts(
      embedded.map(({ text }) => text),
      sql`${vectors}::text[]`,
    )})
    update chunk_embeddings chunk_embedding set space = ${space}, embedding = locked_text.vector::vector, refusals = 0
    from locked_text
    where chunk_embedding.host_id = locked_text.host_id and chunk_embedding.chunk_id = locked_text.chunk_id`;
}

/** Releases the texts, for a retry after a delay. */
export async function releaseTexts(
  db: Db,
  texts: readonly DueText[],
  { afterMs, isRefused }: { readonly afterMs: number; readonly isRefused: boolean },
): Promise<void> {
  await rowsOf(db)`
    with locked_text as materialized (${lockDueTexts(texts, sql`array[]::text[]`)})
    update chunk_embeddings chunk_embedding set due_at = now() + ${afterMs} * interval '1 millisecond',
      refusals = least(refusals + ${isRefused ? 1 : 0}, 99)
    from locked_text
    where chunk_embedding.host_id = locked_text.host_id and chunk_embedding.chunk_id = locked_text.chunk_id`;
}

/** Locks the rows of the texts, each with its vector. Skips rows that are locked by a writer, because they are changing. */
function lockDueTexts(texts: readonly DueText[], vectors: Fragment): Fragment {
  return sql`
    select locked_row.host_id, locked_row.chunk_id, due_text.vector
    from unnest(${texts.map(text => text.hostId)}::uuid[], ${texts.map(text => text.chunkId)}::uuid[],
      ${texts.map(text => text.textHash)}::text[], ${vectors}) as due_text (host_id, chunk_id, text_hash, vector)
    join chunk_embeddings locked_row
      on locked_row.host_id = due_text.host_id and locked_row.chunk_id = due_text.chunk_id
      and locked_row.text_hash = decode(due_text.text_hash, 'hex')
    for update of locked_row skip locked`;
}
