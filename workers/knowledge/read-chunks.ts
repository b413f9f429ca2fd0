import { hasAvatar } from '../../db/avatars.ts';
import { readChunks as pageOf, type ReadChunk, readChunksById } from '../../db/chunks.ts';
import type { Db } from '../../db/connection.ts';
import { findHost } from '../../db/hosts.ts';
import { type HostScope, withHost } from '../../db/with-hosts.ts';
import { failure } from '../../queues/failure.ts';
import { MOST_CHUNKS_READ } from '../../queues/operations/chunks.ts';
import type { BodyOf, DataOf } from '../../queues/operations/index.ts';
import type { FoundKnowledge, KnowledgeFinder } from '../find-knowledge.ts';
import type { Handler } from '../job.ts';
import type { ChunkSearch, FoundChunk } from '../search-chunks.ts';

/** One answer crosses the queue in one piece, and whoever packs it does nothing else meanwhile. */
const MOST_BYTES = 8 * 1_048_576;

type Body = BodyOf<'readChunks'>;

export function readChunks(db: Db, findKnowledge: KnowledgeFinder): Handler<'readChunks'> {
  return async ({ hostId, body, signal }) => {
    const question = body.question?.trim() ? body.question : '';
    const read = await withHost(db, hostId, async scope => {
      if (!(await hasAvatar(scope, body.avatar_id))) return undefined;
      if (!question) return newest(scope, body);
      const { chunks, byMeaning } = await findKnowledge(scope, await searchOf(scope, body, question), signal);
      return byMeaning ?? pageOfFound(scope, body, chunks);
    });
    if (!read) return failure('avatar-not-found');
    const chunks = typeof read === 'function' ? await foundByMeaning(db, hostId, body, read) : read;
    return { code: 200, data: chunks.map(chunk => readEntryOf(chunk, question)) };
  };
}

async function foundByMeaning(
  db: Db,
  hostId: string,
  body: Body,
  byMeaning: NonNullable<FoundKnowledge['byMeaning']>,
): Promise<ReadChunk[]> {
  const { chunks } = await byMeaning();
  return withHost(db, hostId, scope => pageOfFound(scope, body, chunks));
}

function newest(scope: HostScope, body: Body): Promise<ReadChunk[]> {
  const { avatar_id: avatarId, dataset_ids: datasetIds, limit = MOST_CHUNKS_READ, offset = 0 } = body;
  return pageOf(scope, { avatarId, datasetIds }, { limit, offset, mostBytes: MOST_BYTES });
}

async function searchOf(
  scope: HostScope,
  { avatar_id: avatarId, dataset_ids: datasetIds }: Body,
  query: string,
): Promise<ChunkSearch> {
  const limit = (await findHost(scope))?.maxChunks ?? 0;
  return { avatarId, datasetIds, query, given: 'unfiltered', limit };
}

function pageOfFound(
  scope: HostScope,
  { avatar_id: avatarId, limit = MOST_CHUNKS_READ, offset = 0 }: Body,
  found: readonly FoundChunk[],
): Promise<ReadChunk[]> {
  const asked = found.slice(offset, offset + limit);
  return readChunksById(
    scope,
    avatarId,
    asked.map(chunk => chunk.chunkId),
  );
}

function readEntryOf(chunk: ReadChunk, question: string): DataOf<'readChunks'>[number] {
  return {
    dataset_id: chunk.datasetId,
    dataset_name: chunk.datasetName,
    expires: chunk.expires.toISOString(),
    chunk_id: chunk.chunkId,
    content: chunk.content,
    last_update: chunk.updatedAt.toISOString(),
    token_count: chunk.tokenCount,
    search_question: question,
    user_id: chunk.writtenBy ?? '',
    user_name: chunk.writtenByName ?? '',
  };
}
