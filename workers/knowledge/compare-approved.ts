import { createHash } from 'node:crypto';
import { type ApprovedText, listApprovedTexts } from '../../db/assistants/approved-answers.ts';
import type { Db } from '../../db/connection.ts';
import {
  type FoundContradiction,
  findNearPassages,
  type ReadablePassage,
  readReadablePassages,
} from '../../db/knowledge/contradictions.ts';
import { withHost } from '../../db/with-hosts.ts';
import { runInSlices } from '../../platform/run-in-slices.ts';
import { findAgainst } from '../domain/contradictions/find-against.ts';
import type { Frequencies } from '../domain/contradictions/find-contradictions.ts';

interface Asked {
  readonly db: Db;
  readonly hostId: string;
  /** Passages that are due, with which all answers are compared. */
  readonly chunkIds: readonly string[];
  /** Also answers are: they are compared with the passages near them. */
  readonly dueIds: readonly string[];
  readonly findFrequencies: () => Promise<Frequencies>;
}

const [PAGE, BATCH, MAX_NEAR] = [1_000, 200, 24];

/** Finds the approved answers that a passage contradicts which an avatar of theirs may read. */
export async function compareApproved(
  { db, hostId, chunkIds, dueIds, findFrequencies }: Asked,
  stop: AbortSignal,
): Promise<FoundContradiction[]> {
  const answers = await withHost(db, hostId, listApprovedTexts);
  if (answers.length === 0) return [];
  const frequencies = await findFrequencies();
  const found = new Map<string, FoundContradiction>();
  const compare = async (some: readonly ApprovedText[], ids: readonly string[]) => {
    const passages = await withHost(db, hostId, scope =>
      readReadablePassages(scope, { limit: ids.length, ids }),
    );
    const steps = findAgainst(some, passages, { frequencies, mayMeet });
    for (const { kind, passages: texts, places } of await runInSlices(steps, stop)) {
      const [approvedId, chunkId] = [places[0].id, places[1].id];
      const textsHash = createHash('sha256')
        .update(JSON.stringify([kind, approvedId, ...texts.map(({ content }) => content)]))
        .digest('base64url');
      found.set(textsHash, {
        kind,
        chunkId,
        approvedId,
        places: places.map(({ sentence, mark }) => ({ sentence, mark })).toReversed(),
        pairs: 1,
        textsHash,
      });
    }
  };
  for (let from = 0; from < chunkIds.length; from += PAGE)
    await compare(answers, chunkIds.slice(from, from + PAGE));
  const due = new Set(dueIds);
  const own = answers.filter(({ id }) => due.has(id));
  for (let from = 0; from < own.length; from += BATCH) {
    const some = own.slice(from, from + BATCH);
    const ids = some.map(({ id }) => id);
    await compare(some, await withHost(db, hostId, scope => findNearPassages(scope, ids, MAX_NEAR)));
  }
  return [...found.values()];
}

function mayMeet({ avatarIds }: ApprovedText, passage: ReadablePassage): boolean {
  return avatarIds.some(id => passage.avatarIds.includes(id));
}
