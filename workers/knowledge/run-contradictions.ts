import { createHash } from 'node:crypto';
import type { Db } from '../../db/connection.ts';
import type { ChunkFilter } from '../../db/knowledge/chunks.ts';
import {
  claimDueHost,
  type FoundContradiction,
  findNearPassages,
  type ReadablePassage,
  readReadablePassages,
  readWithDocuments,
  type StoredContradiction,
  storeContradictions,
} from '../../db/knowledge/contradictions.ts';
import { type HostScope, withHost } from '../../db/with-hosts.ts';
import { runInSlices } from '../../platform/run-in-slices.ts';
import { MAX_NAMED_CONTRADICTIONS } from '../../queues/contract/events.ts';
import {
  type Contradiction,
  countStems,
  type Frequencies,
  findPairs,
  type Pair,
  tellPairs,
} from '../domain/contradictions/find-contradictions.ts';
import { addEvents } from '../runtime/add-event.ts';
import { compareApproved } from './compare-approved.ts';

export interface ContradictionParts {
  /** This login claims the passages of all hosts. */
  readonly owner: Db;
  readonly db: Db;
}

const PAGE = 1_000;
/** Passages of one host that are compared with each other in one go: 20,000 take some 20 s and 460 MB. */
const MAX_PASSAGES = 20_000;
/** Where these are more than this share of the host, all are read: that is cheaper than looking for those near each. */
const MAX_SHARE = 0.1;
/** Changed passages that are compared at a time, each with as many others: with them 5,000 are in memory. */
const [BATCH, MAX_NEAR] = [200, 24];
const LEASE_MS = 10 * 60_000;
/** Whoever edits is not done with the first passage. */
const QUIET_MS = 20_000;
/** The clearest ones are kept: nobody reads more. */
const MAX_FOUND = 500;

/** Compares the passages that are due with those that an avatar may read beside them, until none is due. */
export async function checkContradictions(
  { owner, db }: ContradictionParts,
  stop: AbortSignal,
  quietMs = QUIET_MS,
): Promise<void> {
  while (!stop.aborted) {
    const due = await claimDueHost(owner, { quietMs, leaseMs: LEASE_MS });
    if (!due) return;
    // Versions are told of whole documents, so all passages of one are compared anew.
    const { chunkIds, total } = await withHost(db, due.hostId, scope =>
      readWithDocuments(scope, due.chunkIds),
    );
    const isFew = chunkIds.length < total * MAX_SHARE || total > MAX_PASSAGES;
    const compare = isFew ? compareWithNear : compareWithAll;
    const asked = { db, hostId: due.hostId, chunkIds, total };
    const findFrequencies = async () => frequenciesOf(asked, stop);
    const pairs = chunkIds.length === 0 ? [] : await compare({ ...asked, findFrequencies }, stop);
    const against = await compareApproved({ ...asked, dueIds: due.chunkIds, findFrequencies }, stop);
    const ids = new Set([...due.chunkIds, ...chunkIds]);
    const found = [...toFound(tellPairs(pairs)), ...against];
    await withHost(db, due.hostId, async scope =>
      tellNew(scope, await storeContradictions(scope, due, [...ids], found)),
    );
  }
}

function tellNew(scope: HostScope, found: readonly StoredContradiction[]): Promise<void> {
  const datasetIds = [...new Set(found.map(({ datasetId }) => datasetId))];
  const events = datasetIds.map(datasetId => {
    const ids = found.filter(each => each.datasetId === datasetId).map(({ id }) => id);
    const contradictionIds = ids.slice(0, MAX_NAMED_CONTRADICTIONS);
    return {
      type: 'contradiction.found' as const,
      data: { datasetId, count: ids.length, contradictionIds },
    };
  });
  return addEvents(scope, events);
}

interface Asked {
  readonly db: Db;
  readonly hostId: string;
  readonly chunkIds: readonly string[];
  readonly total: number;
  readonly findFrequencies: () => Promise<Frequencies>;
}

async function compareWithAll({ db, hostId, chunkIds }: Asked, stop: AbortSignal): Promise<Pair[]> {
  const passages: ReadablePassage[] = [];
  for (let after: string | undefined; passages.length < MAX_PASSAGES; after = passages.at(-1)?.id) {
    const page = await withHost(db, hostId, scope => readReadablePassages(scope, { limit: PAGE, after }));
    passages.push(...page);
    if (page.length < PAGE) break;
  }
  return comparePassages(passages, { chunkIds }, stop);
}

/** How common a word is, is told by the first passages: their ids are random. */
async function frequenciesOf(
  { db, hostId, total }: Omit<Asked, 'findFrequencies'>,
  stop: AbortSignal,
): Promise<Frequencies> {
  const sample = await withHost(db, hostId, scope => readReadablePassages(scope, { limit: PAGE }));
  const size = sample.length < PAGE ? sample.length : total;
  return runInSlices(countStems(sample.map(toPassage), size), stop);
}

async function compareWithNear(
  { db, hostId, chunkIds, findFrequencies }: Asked,
  stop: AbortSignal,
): Promise<Pair[]> {
  const frequencies = await findFrequencies();
  const pairs = new Map<string, Pair>();
  for (let from = 0; from < chunkIds.length; from += BATCH) {
    const batch = chunkIds.slice(from, from + BATCH);
    const passages = await withHost(db, hostId, async scope => {
      const near = await findNearPassages(scope, batch, MAX_NEAR);
      const ids = [...new Set([...batch, ...near])];
      return readReadablePassages(scope, { limit: ids.length, ids });
    });
    // Two that are both due are compared in the batch of each.
    for (const pair of await comparePassages(passages, { chunkIds: batch, frequencies }, stop))
      pairs.set(keyOf(pair), pair);
  }
  return [...pairs.values()];
}

function keyOf({ passages }: Pair): string {
  return passages
    .map(({ id }) => id)
    .toSorted()
    .join(' ');
}

interface Choice {
  readonly chunkIds: readonly string[];
  readonly frequencies?: Frequencies;
}

async function comparePassages(
  passages: readonly ReadablePassage[],
  { chunkIds, ...known }: Choice,
  stop: AbortSignal,
): Promise<Pair[]> {
  const asked = new Set(chunkIds);
  const steps = findPairs(passages.map(toPassage), {
    ...known,
    isAsked: id => asked.has(id),
    mayMeet: (one, other) => mayMeet(passages[one], passages[other]),
  });
  return runInSlices(steps, stop);
}

function toPassage({ id, content, documentId }: ReadablePassage) {
  return { id, content, documentId: documentId ?? undefined };
}

/** Whether an avatar may give one person both: filters of other courses keep passages apart. */
function mayMeet(one: ReadablePassage | undefined, other: ReadablePassage | undefined): boolean {
  if (!one || !other) return false;
  const isApart = one.filter && other.filter && areApart(one.filter, other.filter);
  return !isApart && one.avatarIds.some(id => other.avatarIds.includes(id));
}

function areApart(a: ChunkFilter, b: ChunkFilter): boolean {
  return Object.entries(a).some(([key, values]) => b[key] && !values.some(each => b[key]?.includes(each)));
}

function toFound(found: readonly Contradiction[]): FoundContradiction[] {
  return found
    .toSorted((a, b) => b.likeness - a.likeness)
    .slice(0, MAX_FOUND)
    .map(({ kind, passages, places, pairs }) => {
      const named = passages
        .map(each => (kind === 'versions' ? each.documentId : each.content) ?? '')
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
