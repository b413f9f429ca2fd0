import type { Db } from '../../db/connection.ts';
import { type DueText, releaseTexts, storeEmbeddings } from '../../db/vectors/embeddings-due.ts';
import { spaceOf } from '../domain/retrieval/vector-space.ts';
import { type EmbeddedText, type Embedder, EmbeddingError } from '../model/embedder.ts';

const MAX_SHORTENINGS = 4;
const AFTER_LAST_REFUSAL_MS = 24 * 3_600_000;

/**
 * Embeds the texts and stores their vectors. Returns false when the model refuses a text and rejects when it fails; in
 * both cases the leases of the texts are released. A text that was refused alone is probably too long: the next attempt
 * uses half of it.
 */
export async function embedTexts(
  { db, embedder }: { readonly db: Db; readonly embedder: Embedder },
  space: string,
  texts: readonly DueText[],
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const vectors = await embedder.embed(texts.map(embeddedTextOf), { signal });
    const [first = []] = vectors;
    if (spaceOf(embedder.model, first) !== space)
      throw new EmbeddingError('vectors of another length', false);
    await storeEmbeddings(
      db,
      space,
      texts.map((text, at) => ({ text, vector: vectors[at] ?? [] })),
    );
    return true;
  } catch (error) {
    const isRefused = error instanceof EmbeddingError && error.isRefused;
    // If this fails too, the leases expire.
    await releaseTexts(db, texts, nextTryOf(texts, isRefused)).catch(() => {});
    if (!isRefused) throw error;
    return false;
  }
}

function nextTryOf([first, ...others]: readonly DueText[], isRefused: boolean) {
  if (!first || others.length > 0 || !isRefused) return { afterMs: 0, isRefused: false };
  return { afterMs: first.refusals < MAX_SHORTENINGS ? 0 : AFTER_LAST_REFUSAL_MS, isRefused: true };
}

function embeddedTextOf({ text, isMasked, refusals }: DueText): EmbeddedText {
  const fraction = 2 ** -Math.min(refusals, MAX_SHORTENINGS);
  // Some providers refuse an empty text.
  const cut = (sent: string) => sent.slice(0, Math.ceil(sent.length * fraction)).toWellFormed() || ' ';
  return { text, isMasked, cut };
}
