import { insertAvatar } from '../../db/assistants/avatars.ts';
import { type ChunkFilter, insertChunk } from '../../db/knowledge/chunks.ts';
import { insertDataset, linkDataset } from '../../db/knowledge/datasets.ts';
import { assertDefined } from './assert-defined.ts';
import type { ServedHost } from './served-host.ts';

type Passage = string | { readonly content: string; readonly filter: ChunkFilter };

/** Creates an avatar, and a dataset of it with these passages. */
export async function makeAvatarWithKnowledge(
  host: Pick<ServedHost, 'inHost'>,
  subSlug: string,
  passages: readonly Passage[],
): Promise<{ avatarId: string; datasetId: string; chunkIds: string[] }> {
  const made = await host.inHost(scope => insertAvatar(scope, { sub_slug: subSlug, avatar_name: 'Eva' }));
  const avatarId = assertDefined(made).avatar_id;
  return { avatarId, ...(await teach(host, avatarId, passages)) };
}

/** Adds a dataset with these passages, of which some may be filtered. */
export function teach(
  { inHost }: Pick<ServedHost, 'inHost'>,
  avatarId: string,
  passages: readonly Passage[],
): Promise<{ datasetId: string; chunkIds: string[] }> {
  return inHost(async scope => {
    const isFiltered = passages.some(passage => typeof passage !== 'string');
    const type = isFiltered ? 'filtered_rag' : 'common_rag';
    const { id: datasetId } = await insertDataset(scope, { name: 'Manual', type });
    await linkDataset(scope, { datasetId, avatarId });
    const chunkIds: string[] = [];
    for (const passage of passages) {
      const chunk = typeof passage === 'string' ? { content: passage } : passage;
      chunkIds.push(assertDefined(await insertChunk(scope, { datasetId, ...chunk, tokenCount: 9 })));
    }
    return { datasetId, chunkIds };
  });
}
