import { expect } from 'chai';
import { makeOutageLog } from '../platform/outage-log.ts';

describe('the log of an outage', () => {
  it('has one line when the part goes, one a minute while it is away, and one when it is back', () => {
    const told: unknown[] = [];
    const note = ({ event }: { event: string }) => void told.push(event);
    let now = 0;
    const log = { warn: note, info: note } as unknown as Parameters<typeof makeOutageLog>[0];
    const outage = makeOutageLog(log, { event: 'part', name: 'the part' }, () => now);
    for (; now < 150_000; now += 100) outage.noteFailure(new Error('away'));
    outage.noteSuccess();
    now += 5_000;
    outage.noteSuccess();
    outage.noteSuccess();
    expect(told).to.deep.equal(['part.lost', 'part.still_lost', 'part.still_lost', 'part.back']);
  });
});
