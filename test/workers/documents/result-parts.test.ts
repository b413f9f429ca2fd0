import { expect } from 'chai';
import fc from 'fast-check';
import type { ReadResult } from '../../../workers/knowledge/parser/parse-document.ts';
import { makeResultReader, partsOf } from '../../../workers/knowledge/parser/result-parts.ts';

const text = fc.oneof(fc.string(), fc.constantFrom('\n', '"', '😀', '\ud800', 'x'.repeat(200_000)));
const place = fc.option(text, { nil: undefined });
const cells = fc.array(text, { maxLength: 4 });
const block = fc
  .oneof(
    fc.record({ kind: fc.constant('heading' as const), level: fc.integer({ min: 0, max: 6 }), text }),
    fc.record({ kind: fc.constantFrom('text' as const, 'entry' as const), text }),
    fc.record({ kind: fc.constant('table' as const), header: cells, rows: fc.array(cells) }),
  )
  .chain(each => place.map(at => (at === undefined ? each : { ...each, place: at })));
const result: fc.Arbitrary<ReadResult> = fc.oneof(
  fc.record({ text: fc.record({ blocks: fc.array(block) }) }),
  fc.record({
    text: fc.record({ hasFalseHead: fc.boolean(), blocks: fc.array(block) }),
    title: text,
    leads: fc.array(text),
  }),
  fc.record({ sitemap: fc.record({ pages: fc.array(text), sitemaps: fc.array(text) }) }),
);

function handedOver(sent: ReadResult): ReadResult {
  const reader = makeResultReader();
  for (const part of partsOf(sent)) {
    expect(part.length).to.be.at.most(131_072);
    expect(part.split('\n').length).to.be.at.most(1_001);
    reader.add(part);
  }
  return reader.result();
}

describe('what is read of a document', () => {
  it('is the same in the worker, and no part of it is long', () => {
    fc.assert(fc.property(result, sent => void expect(handedOver(sent)).to.deep.equal(sent)));
  });

  it('comes in few parts where it is short, and in as many as it needs where it has many paragraphs', () => {
    const blocks = Array.from({ length: 10_000 }, () => ({ kind: 'text', text: 'a' }) as const);
    expect([...partsOf({ text: { blocks } })]).to.have.length(11);
    const rows = Array.from({ length: 10_000 }, () => ['a', 'b']);
    const table = { kind: 'table', header: ['A', 'B'], rows } as const;
    expect([...partsOf({ text: { blocks: [table] } })]).to.have.length(11);
    expect([...partsOf({ text: { blocks: blocks.slice(0, 10) } })]).to.have.length(1);
  });
});
