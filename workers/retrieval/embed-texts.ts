import type { Db } from '../../db/connection.ts';
import { type DueText, releaseTexts, storeEmbeddings } from '../../db/vectors/embeddings-due.ts';
import { spaceOf } from '../domain/retrieval/vector-space.ts';
import { type Embedder, NotEmbedded } from '../model/embedder.ts';

const MOST_SHORTENINGS = 4;
const AFTER_LAST_REFUSAL_MS = 24 * 3_600_000;

/**
 * Stores the vectors of these texts; false where the model refuses one of them, rejects where it fails. Then they are
 * given back. One that was refused alone is likely too long: the next time half of it has to do.
 */
export async function embedTexts(
  { db, embedder }: { readonly db: Db; readonly embedder: Embedder },
  space: string,
  texts: readonly DueText[],
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const vectors = await embedder.embed(texts.map(partOf), { signal });
    const [first = []] = vectors;
    if (spaceOf(embedder.model, first) !== space) throw new NotEmbedded('vectors of another length', false);
    await storeEmbeddings(
      db,
      space,
      texts.map((text, at) => ({ text, vector: vectors[at] ?? [] })),
    );
    return true;
  } catch (error) {
    const isRefused = error instanceof NotEmbedded && error.isRefused;
    // Where this fails too, what they are lent for runs out.
    await releaseTexts(db, texts, nextTryOf(texts, isRefused)).catch(() => {});
    if (!isRefused) throw error;
    return false;
  }
}

function nextTryOf([first, ...others]: readonly DueText[], isRefused: boolean) {
  if (!first || others.length > 0 || !isRefused) return { afterMs: 0, isRefused: false };
  return { afterMs: first.refusals < MOST_SHORTENINGS ? 0 : AFTER_LAST_REFUSAL_MS, isRefused: true };
}

function partOf({ text, refusals }: DueText): string {
  const most = Math.ceil(text.length / 2 ** Math.min(refusals, MOST_SHORTENINGS));
  // An empty text is refused by some.
  return text.slice(0, most).toWellFormed() || ' ';
}
