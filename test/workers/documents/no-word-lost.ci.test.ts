import { expect } from 'chai';
import fc from 'fast-check';
import { cutPassages } from '../../../workers/domain/documents/cut-passages.ts';
import type { DocumentKind } from '../../../workers/knowledge/document-kind.ts';
import { parseDocument } from '../../../workers/knowledge/parser/parse-document.ts';
import { runToEnd } from '../../support/run-to-end.ts';
import { anyDocument, anyTable, makeWords, type Part, type Table, type Words } from './any-document.ts';
import { writeCsv, writeDocx, writeHtml, writeMarkdown, writePdf, writeXlsx } from './write-document.ts';

type Write<T> = (document: T, words: Words) => Uint8Array | Promise<Uint8Array>;

const limits = fc.integer({ min: 200, max: 4_000 });

/** No word is lost but those that are struck through, in passages of any limit. */
async function expectWhole(kind: DocumentKind, bytes: Uint8Array, { said, struck }: Words, limit: number) {
  if (said.length === 0) return;
  const result = await parseDocument({ kind, bytes, address: 'https://a.br/' }, () => {});
  const text = 'text' in result ? result.text : expect.fail('It is a sitemap.');
  const passages = runToEnd(cutPassages(text, { name: 'Guia', limit, most: 20_000 })) ?? [];
  const told = new Set(passages.flatMap(({ content }) => content.split(/[^\p{L}\p{N}]+/u)));
  expect({
    lost: said.filter(word => !told.has(word)),
    revoked: kind === 'markdown' ? [] : struck.filter(word => told.has(word)),
  }).to.deep.equal({ lost: [], revoked: [] });
}

const check = <T>(kind: DocumentKind, documents: fc.Arbitrary<T>, write: Write<T>, numRuns: number) =>
  fc.assert(
    fc.asyncProperty(documents, limits, async (document, limit) => {
      const words = makeWords();
      await expectWhole(kind, await write(document, words), words, limit);
    }),
    { numRuns },
  );

describe('a document of any parts', () => {
  const ofParts: readonly (readonly [DocumentKind, Write<Part[]>, number])[] = [
    ['markdown', writeMarkdown, 300],
    ['html', writeHtml, 500],
    ['docx', writeDocx, 300],
    ['pdf', writePdf, 300],
  ];
  for (const [kind, write, runs] of ofParts)
    it(`has all words in its passages but those that are struck through, as ${kind}`, () =>
      check(kind, anyDocument, write, runs));

  it('has all words in its passages, as a CSV file', () => check('csv', anyTable, writeCsv, 300));
  it('has all words in its passages but those that are struck through, as sheets', () =>
    check<Table[]>('xlsx', fc.array(anyTable, { minLength: 1, maxLength: 3 }), writeXlsx, 300));
});
