import { expect } from 'chai';
import * as fc from 'fast-check';
import { Batcher } from '../../workers/indexer/batcher.ts';

const event = (seq: number, originId = `record ${seq}`, ageMs = 0) => ({
  seq: String(seq),
  hostId: 'host',
  originTable: 'leads',
  originId,
  ageMs,
});

describe('the batcher', () => {
  const make = () => new Batcher<ReturnType<typeof event>>({ batchSize: 3, flushMs: 100 });

  it('waits for a full batch, or for the age of its oldest event, counted from its birth', () => {
    const batcher = make();
    expect(batcher.dueInMs(0)).to.equal(undefined);
    batcher.add([event(1), event(2, 'b', 30)], 1_000);
    expect(batcher.dueInMs(1_000)).to.equal(70);
    expect(batcher.take(1_069)).to.equal(undefined);
    expect(batcher.take(1_070)).to.have.length(2);
    batcher.add([event(3), event(4), event(5), event(6)], 2_000);
    expect(batcher.take(2_000)).to.have.length(3);
    expect(batcher.take(2_000)).to.equal(undefined);
    batcher.add([event(7, 'old', 5_000)], 2_001);
    expect(batcher.take(2_001)).to.have.length(2);
  });

  it('folds the events of one record to the last, and names each', () => {
    const batcher = make();
    batcher.add([event(1, 'a'), event(2, 'b'), event(3, 'a')], 0);
    expect(batcher.take(0)).to.deep.equal([
      { last: event(3, 'a'), seqs: ['1', '3'] },
      { last: event(2, 'b'), seqs: ['2'] },
    ]);
  });

  it('gives each event exactly once, whenever it is asked', () => {
    const step = fc.record({ ids: fc.array(fc.nat(4), { maxLength: 6 }), afterMs: fc.nat(150) });
    fc.assert(
      fc.property(fc.array(step), steps => {
        const batcher = make();
        let [now, seq] = [0, 0];
        const emitted: string[] = [];
        for (const { ids, afterMs } of [...steps, { ids: [], afterMs: 100 }]) {
          batcher.add(
            ids.map(id => event((seq += 1), String(id))),
            now,
          );
          now += afterMs;
          for (let batch = batcher.take(now); batch; batch = batcher.take(now)) {
            const seqs = batch.flatMap(each => each.seqs);
            expect(seqs.length).to.be.at.most(3);
            expect(new Set(batch.map(({ last }) => last.originId)).size).to.equal(batch.length);
            emitted.push(...seqs);
          }
        }
        expect(emitted.map(Number).toSorted((a, b) => a - b)).to.deep.equal(
          Array.from({ length: seq }, (_, at) => at + 1),
        );
      }),
    );
  });
});
