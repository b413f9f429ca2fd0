import type { HostScope } from '../../db/with-hosts.ts';
import { type ChunkSearch, type FoundChunk, searchByWords } from '../../workers/retrieval/find-knowledge.ts';

/** The best chunks by words only, as a turn finds them without an embedding model. */
export async function searchChunks(scope: HostScope, search: ChunkSearch): Promise<FoundChunk[]> {
  return (await searchByWords(scope, search)).chunks.slice(0, search.limit);
}
