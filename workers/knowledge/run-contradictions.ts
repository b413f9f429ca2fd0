import { createHash } from 'node:crypto';
import type { Db } from '../../db/connection.ts';
import {
  claimDueHost,
  type DueHost,
  type FoundContradiction,
  type ReadablePassage,
  readReadablePassages,
  storeContradictions,
} from '../../db/knowledge/contradictions.ts';
import { withHost } from '../../db/with-hosts.ts';
import { runInSlices } from '../../platform/run-in-slices.ts';
import { type Contradiction, findContradictions } from '../domain/contradictions/find-contradictions.ts';

export interface ContradictionParts {
  /** This login claims the passages of all hosts. */
  readonly owner: Db;
  readonly db: Db;
}

const PAGE = 1_000;
/** Passages of one host that are compared: 20,000 take some 20 s and 400 MB. */
const MAX_PASSAGES = 20_000;
const LEASE_MS = 10 * 60_000;
/** Whoever edits is not done with the first passage, and an import writes for a while. */
const QUIET_MS = 20_000;
/** The clearest ones are kept: nobody reads more. */
const MAX_FOUND = 500;

/** Compares the passages that are due with all that an avatar may read beside them, until none is due. */
export async function checkContradictions(
  { owner, db }: ContradictionParts,
  stop: AbortSignal,
  quietMs = QUIET_MS,
): Promise<void> {
  while (!stop.aborted) {
    const due = await claimDueHost(owner, { quietMs, leaseMs: LEASE_MS });
    if (!due) return;
    const passages = await readPassages(db, due.hostId);
    const asked = withTheirDocuments(due, passages);
    const steps = findContradictions(passages.map(toPassage), {
      isAsked: id => asked.has(id),
      mayMeet: (one, other) => mayMeet(passages[one], passages[other]),
    });
    const found = toFound(await runInSlices(steps, stop), passages);
    await withHost(db, due.hostId, scope => storeContradictions(scope, due, [...asked], found));
  }
}

/** Versions are told of whole documents, so all passages of one are compared anew. */
function withTheirDocuments({ chunkIds }: DueHost, passages: readonly ReadablePassage[]): Set<string> {
  const asked = new Set(chunkIds);
  const documents = new Set(passages.filter(({ id }) => asked.has(id)).map(({ documentId }) => documentId));
  for (const { id, documentId } of passages)
    if (documentId !== null && documents.has(documentId)) asked.add(id);
  return asked;
}

async function readPassages(db: Db, hostId: DueHost['hostId']): Promise<ReadablePassage[]> {
  const passages: ReadablePassage[] = [];
  for (let after: string | undefined; passages.length < MAX_PASSAGES; after = passages.at(-1)?.id) {
    const page = await withHost(db, hostId, scope => readReadablePassages(scope, { limit: PAGE, after }));
    passages.push(...page);
    if (page.length < PAGE) break;
  }
  return passages;
}

function toPassage({ id, content, documentId }: ReadablePassage) {
  return { id, content, documentId: documentId ?? undefined };
}

/** Whether an avatar may give one person both: filters of other courses keep passages apart. */
function mayMeet(one: ReadablePassage | undefined, other: ReadablePassage | undefined): boolean {
  if (!one || !other) return false;
  const [a, b] = [one.filter ?? {}, other.filter ?? {}];
  const isApart = Object.entries(a).some(
    ([key, values]) => b[key] && !values.some(each => b[key]?.includes(each)),
  );
  return !isApart && one.avatarIds.some(id => other.avatarIds.includes(id));
}

function toFound(
  found: readonly Contradiction[],
  passages: readonly ReadablePassage[],
): FoundContradiction[] {
  const byId = new Map(passages.map(each => [each.id, each]));
  return found
    .toSorted((a, b) => b.likeness - a.likeness)
    .slice(0, MAX_FOUND)
    .map(({ kind, places, pairs }) => {
      const texts = places.map(({ id }) => byId.get(id));
      const named = texts
        .map(each => (kind === 'versions' ? each?.documentId : each?.content) ?? '')
        .toSorted();
      return {
        kind,
        chunkId: places[0].id,
        otherChunkId: places[1].id,
        places: places.map(({ sentence, mark }) => ({ sentence, mark })),
        pairs,
        textsHash: createHash('sha256')
          .update(JSON.stringify([kind, ...named]))
          .digest('base64url'),
      };
    });
}
