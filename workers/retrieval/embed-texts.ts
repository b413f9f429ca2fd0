import type { Db } from '../../db/connection.ts';
import { type DueText, releaseTexts, storeEmbeddings } from '../../db/vectors/embeddings-due.ts';
import { spaceOf } from '../domain/retrieval/vector-space.ts';
import { type EmbeddedText, type Embedder, EmbeddingError } from '../model/embedder.ts';
import { SpendRefusedError } from '../model/spender.ts';

const MAX_SHORTENINGS = 4;
const AFTER_LAST_REFUSAL_MS = 24 * 3_600_000;
/** A budget may be raised, or begin anew. */
const AFTER_BUDGET_MS = 10 * 60_000;
/** How long the request may take, which ends with the signal. */
export const MODEL_TIMEOUT_MS = 30_000;

/**
 * Embeds the texts as `embedTexts`, but those of hosts whose budget does not allow it: they are due again later.
 */
export async function embedWithinBudgets(
  parts: { readonly db: Db; readonly embedder: Embedder },
  space: string,
  texts: readonly DueText[],
  signal: AbortSignal,
): Promise<boolean> {
  let left = texts;
  while (left.length > 0) {
    try {
      return await embedTexts(parts, space, left, signal);
    } catch (error) {
      if (!(error instanceof SpendRefusedError)) throw error;
      const isRefused = ({ hostId }: DueText) => hostId === error.hostId;
      const later = { afterMs: AFTER_BUDGET_MS, isRefused: false };
      await releaseTexts(parts.db, left.filter(isRefused), later);
      left = left.filter(text => !isRefused(text));
    }
  }
  return true;
}

/**
 * Embeds the texts and stores their vectors. Returns false when the model refuses a text and rejects when it fails; in
 * both cases the leases of the texts are released. A text that was refused alone is probably too long: the next attempt
 * uses half of it. Where a budget refuses them, nothing is released.
 */
async function embedTexts(
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
    if (error instanceof SpendRefusedError) throw error;
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

function embeddedTextOf({ hostId, text, isMasked, hasBudget, refusals }: DueText): EmbeddedText {
  const fraction = 2 ** -Math.min(refusals, MAX_SHORTENINGS);
  // Some providers refuse an empty text.
  const cut = (sent: string) => sent.slice(0, Math.ceil(sent.length * fraction)).toWellFormed() || ' ';
  const spender = { hostId, hasBudget, remainingMs: () => MODEL_TIMEOUT_MS };
  return { text, isMasked, spender, cut };
}
