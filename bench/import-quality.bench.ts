import type { Db } from '../db/connection.ts';
import { withHost } from '../db/with-hosts.ts';
import { runInSlices } from '../platform/run-in-slices.ts';
import { searchChunks } from '../test/db/search-chunks.ts';
import { makePdf } from '../test/support/pdf.ts';
import { cutPassages } from '../workers/domain/documents/cut-passages.ts';
import { retrievalQueryOf } from '../workers/domain/retrieval/retrieval-query.ts';
import { parseDocument } from '../workers/knowledge/parser/parse-document.ts';
import { startDatabase } from './database.bench.ts';
import { knowledgeOf } from './retrieval/knowledge.bench.ts';
import type { QuestionSet } from './retrieval/question-set.bench.ts';
import { questionSets } from './retrieval/question-sets.bench.ts';

const DEPTH = 10;
const LIMIT = 8_000;
/**
 * Prints for each set how often the right passage is first, and among the first five: cut by hand, and from a PDF. In the PDF,
 * each part of a passage that was cut in two is right.
 */
export async function showImportedQuality(): Promise<void> {
  const { db, stop } = await startDatabase();
  for (const set of questionSets()) {
    const imported = await importedPassagesOf(set);
    console.log(`\n${set.name}: ${set.questions.length} questions`);
    await show(db, `${set.passages.length} passages cut by hand`, set, set.passages);
    await show(db, `${imported.length} passages of a PDF`, set, imported);
  }
  await stop();
}

/** Joins all passages as in a handbook, each under a heading. */
async function importedPassagesOf({ passages }: QuestionSet): Promise<string[]> {
  const bytes = await makePdf(pdf => {
    pdf.fontSize(22).text('Manual');
    for (const [at, passage] of passages.entries()) {
      pdf
        .moveDown()
        .fontSize(15)
        .text(`Seção ${at + 1}`);
      pdf.fontSize(10).text(plainTextOf(passage));
    }
  });
  const result = await parseDocument({ kind: 'pdf', bytes }, () => {});
  if (!('text' in result)) throw new Error('The PDF was not read.');
  const cut = await runInSlices(cutPassages(result.text, { name: 'Manual', limit: LIMIT, most: 20_000 }));
  if (!cut) throw new Error('The PDF has too many passages.');
  return cut.map(({ content }) => content);
}

async function show(db: Db, name: string, { questions }: QuestionSet, stored: readonly string[]) {
  const { hostId, avatarId, chunkIds } = await knowledgeOf(db, stored);
  const owners = stored.map(ownerOf);
  const places = await withHost(db, hostId, async scope => {
    const found: number[] = [];
    for (const { text, earlier, passage } of questions) {
      const query = retrievalQueryOf(text, earlier);
      const chunks = await searchChunks(scope, {
        avatarId,
        ...query,
        filterTerms: 'unfiltered',
        limit: DEPTH,
      });
      found.push(chunks.findIndex(({ chunkId }) => owners[chunkIds.indexOf(chunkId)] === passage) + 1);
    }
    return found;
  });
  const share = (most: number) =>
    ((100 * places.filter(place => place > 0 && place <= most).length) / places.length).toFixed(1);
  console.log(`${name.padEnd(30)} first ${share(1)} %, of the first five ${share(5)} %`);
}

function plainTextOf(passage: string): string {
  return passage.replaceAll(/^#+ /gm, '').replaceAll('**', '');
}

/** The passage whose heading is above; a passage that was cut by hand has none. */
function ownerOf(passage: string, at: number): number {
  const [, number] = /^## Manual > Seção (\d+)\n/.exec(passage) ?? [];
  return number === undefined ? at : Number(number) - 1;
}
