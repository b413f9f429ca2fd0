import { createHash } from 'node:crypto';
import type { ChunkFrontMatter } from '../../db/chunks.ts';
import type { Db } from '../../db/connection.ts';
import { findDataset } from '../../db/datasets.ts';
import type { OpenImport } from '../../db/document-imports.ts';
import {
  deletePassages,
  insertPassages,
  lockDocument,
  movePassages,
  readPassages,
  updateDocument,
} from '../../db/document-passages.ts';
import { type HostScope, withHost } from '../../db/with-hosts.ts';
import type { MediaType } from '../../queues/contract/operations/document-shape.ts';
import type { Passage } from '../domain/documents/cut-passages.ts';
import { frontMatterOf, isFrontMatterError } from '../domain/front-matter/front-matter.ts';
import { loadCountTokens } from '../runtime/count-tokens.ts';
import { runInSlices } from '../runtime/run-in-slices.ts';
import { finishImport } from './finish-import.ts';
import { UnreadableError } from './unreadable.ts';

/*
 * Replaces the passages of a document, and ends the import, in one transaction: whoever reads meanwhile sees all passages of
 * before, or all of now. Only what differs is written: a passage of before with the same text keeps its id, its embedding and
 * its place in the index.
 */

/** In one statement. */
const BATCH_SIZE = 200;

/** Another run of this import ended it first. */
class EndedError extends Error {}

interface Replacement {
  readonly passages: readonly Passage[];
  readonly mediaType: MediaType;
}

interface CheckedPassage extends Passage {
  readonly hash: string;
  readonly frontMatter?: ChunkFrontMatter | undefined;
}

export async function storePassages(
  db: Db,
  order: OpenImport,
  { passages, mediaType }: Replacement,
): Promise<void> {
  const { tokenId, tokenName } = order;
  const actor = { kind: 'token', tokenId, name: tokenName, operation: 'importDocument' } as const;
  const checked = await runInSlices(checkPassages(passages));
  const countTokens = await loadCountTokens();
  const replace = async (scope: HostScope) => {
    const state = await lockDocument(scope, { documentId: order.documentId, importId: order.id });
    // It was deleted with its imports.
    if (state === undefined) return;
    if (state !== 'current') throw new UnreadableError(state);
    const isFiltered = (await findDataset(scope, order.datasetId))?.type === 'filtered_rag';
    const counts = await replacePassages(scope, order, { checked, isFiltered, countTokens });
    await updateDocument(scope, order.documentId, {
      name: order.name,
      mediaType,
      url: order.url,
      passages: checked.length,
    });
    if (!(await finishImport(scope, order, { counts }))) throw new EndedError();
  };
  await withHost(db, order.hostId, replace, actor).catch(error => {
    if (!(error instanceof EndedError)) throw error;
  });
}

function* checkPassages(passages: readonly Passage[]): Generator<void, CheckedPassage[]> {
  const checked: CheckedPassage[] = [];
  for (const passage of passages) {
    const hash = createHash('md5').update(passage.content).digest('hex');
    checked.push({ ...passage, hash });
    yield;
  }
  return checked;
}

async function replacePassages(
  scope: HostScope,
  order: OpenImport,
  {
    checked,
    isFiltered,
    countTokens,
  }: {
    readonly checked: readonly CheckedPassage[];
    readonly isFiltered: boolean;
    countTokens(text: string): number;
  },
) {
  const before = await readPassages(scope, order.documentId);
  const stored = new Map(before.map(each => [each.hash, each]));
  const wanted = new Set(checked.map(({ hash }) => hash));
  // Two may have become equal by hand: one of them stays.
  const removed = before.filter(each => !wanted.has(each.hash) || stored.get(each.hash) !== each);
  const added = checked.filter(({ hash }) => !stored.has(hash));
  const moved = checked.flatMap(({ hash, place }) => {
    const same = stored.get(hash);
    return same && same.place !== place ? [{ id: same.id, place }] : [];
  });
  if (removed.length > 0)
    await deletePassages(
      scope,
      removed.map(({ id }) => id),
    );
  if (moved.length > 0) await movePassages(scope, moved);
  for (let at = 0; at < added.length; at += BATCH_SIZE) {
    const batch = await runInSlices(toRows(added.slice(at, at + BATCH_SIZE), isFiltered, countTokens));
    await insertPassages(scope, order, batch);
  }
  return { added: added.length, kept: checked.length - added.length, removed: removed.length };
}

function* toRows(passages: readonly Passage[], isFiltered: boolean, countTokens: (text: string) => number) {
  const rows = [];
  for (const { content, place } of passages) {
    const frontMatter = frontMatterIn(content, isFiltered);
    rows.push({ content, place, frontMatter, tokenCount: countTokens(content) });
    yield;
  }
  return rows;
}

/** In a common dataset, text between two rules may be plain content. */
function frontMatterIn(content: string, isFiltered: boolean): ChunkFrontMatter | undefined {
  const read = frontMatterOf(content);
  if (!read || !isFrontMatterError(read)) return read;
  if (isFiltered) throw new UnreadableError('front-matter-invalid');
  return undefined;
}
