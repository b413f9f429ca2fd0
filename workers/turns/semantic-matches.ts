import type { ModelCall } from '../model/model-call.ts';
import type { OpenTurn } from './open-turn.ts';

/** Adds the chunks that the semantic search finds. */
export async function addSemanticMatches(
  open: OpenTurn,
): Promise<{ readonly open: OpenTurn; readonly calls: readonly ModelCall[] }> {
  const { refineSemantically, ...context } = open.context;
  if (!refineSemantically) return { open, calls: [] };
  const { chunks, calls } = await refineSemantically();
  return { open: { ...open, context: { ...context, chunks } }, calls };
}
