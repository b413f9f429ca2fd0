import { expect } from 'chai';
import { parseDocument, type ReadRequest } from '../../../workers/knowledge/parser/parse-document.ts';
import { makePdf } from '../../support/pdf.ts';
import { barsIn, makeScan, type ScannedPage } from '../../support/scans.ts';

const parse = (bytes: Buffer, more: Partial<ReadRequest> = {}) =>
  parseDocument({ kind: 'pdf', bytes, ...more }, () => {});
const scannedOf = async (bytes: Buffer) => {
  const read = await parse(bytes, { mayBeScanned: true });
  return 'text' in read ? read.text.scanned : undefined;
};

/** What a model would see of the page. */
async function barsOf(page: ScannedPage): Promise<number | undefined> {
  const read = await parse(makeScan([page]), { drawnPage: 1 });
  const png = 'png' in read ? read.png : null;
  return png === null ? undefined : barsIn(Buffer.from(png, 'base64'));
}
/** Processor time, so that other load on the machine does not count. */
async function timeOf(run: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

const TEXT = 'A biblioteca abre de segunda a sexta. '.repeat(4);

describe('a scanned page of a PDF', () => {
  it('is told from pages with text and empty ones, also where it has a stamp, and where its letters are drawn', async () => {
    const pages = [
      { text: TEXT },
      { bars: 3 },
      {},
      { bars: 2, text: 'Digitalizado em 2 de maio' },
      { bars: 1, text: TEXT },
      { bars: 4, isHalved: true },
      { bars: 4, isFax: true },
    ];
    expect(await scannedOf(makeScan(pages))).to.deep.equal([2, 4, 6, 7]);
    const outlines = await makePdf(pdf => {
      for (let at = 0; at < 200; at += 1) pdf.moveTo(at, 0).lineTo(at, 9).stroke();
    });
    expect(await scannedOf(outlines)).to.deep.equal([1]);
  });

  it('is one upright picture, however it is turned, cut or painted', async () => {
    for (const turned of [0, 90, 180, 270] as const) expect(await barsOf({ bars: 3, turned })).to.equal(3);
    expect(await barsOf({ bars: 5, isHalved: true, turned: 90 })).to.equal(5);
    expect(await barsOf({ bars: 7, isFax: true })).to.equal(7);
  });

  it('is no picture where one of its pictures cannot be decoded, or it has none', async () => {
    expect(await barsOf({ bars: 5, isBroken: true })).to.equal(undefined);
    expect(await barsOf({ text: TEXT })).to.equal(undefined);
  });

  it('is told by the size of its picture, which is decoded only to be drawn', async () => {
    const [large, huge] = [
      { bars: 1, claimedWidth: 20_000 },
      { bars: 1, claimedWidth: 50_000 },
    ];
    expect(await scannedOf(makeScan([huge, {}, { ...huge, text: 'Rubrica' }]))).to.deep.equal([1, 3]);
    expect(await barsOf(huge)).to.equal(undefined);
    const looking = await timeOf(() => scannedOf(makeScan(Array.from({ length: 8 }, () => large))));
    expect(looking).to.be.lessThan(await timeOf(() => barsOf(large)));
  });

  it('is all of a document that has no text', async () => {
    const reason = await parse(makeScan([{ bars: 1 }])).catch((error: { reason?: string }) => error.reason);
    expect(reason).to.equal('no-text');
  });
});
