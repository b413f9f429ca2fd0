import { insertAvatar } from '../../db/assistants/avatars.ts';
import type { Db } from '../../db/connection.ts';
import { createHost } from '../../db/hosts/hosts.ts';
import { insertChunk } from '../../db/knowledge/chunks.ts';
import { insertDataset, linkDataset } from '../../db/knowledge/datasets.ts';
import { withHost } from '../../db/with-hosts.ts';

/** A new host with these passages, in this order. */
export interface Knowledge {
  readonly hostId: string;
  readonly avatarId: string;
  readonly datasetId: string;
  readonly chunkIds: readonly string[];
}

let hosts = 0;

export async function knowledgeOf(db: Db, passages: readonly string[]): Promise<Knowledge> {
  const { id: hostId } = assertDefined(await createHost(db, { slug: `bench-${++hosts}`, name: 'Bench' }));
  return withHost(db, hostId, async scope => {
    const { avatar_id: avatarId } = assertDefined(
      await insertAvatar(scope, { sub_slug: 'main', avatar_name: 'Ana' }),
    );
    const { id: datasetId } = await insertDataset(scope, { name: 'Manual' });
    await linkDataset(scope, { datasetId, avatarId });
    const chunkIds: string[] = [];
    for (const content of passages) {
      chunkIds.push(assertDefined(await insertChunk(scope, { datasetId, content, tokenCount: 1 })));
    }
    return { hostId, avatarId, datasetId, chunkIds };
  });
}

function assertDefined<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The row was not made.');
  return value;
}
