import { expect } from 'chai';
import { makeOutageLog } from '../../platform/outage-log.ts';
import { NO_TOKENS } from '../../workers/model/prices.ts';
import { makeOutageLogs } from '../../workers/outage-logs.ts';

const nothing = { tokens: 0, usage: NO_TOKENS, cost: '0' };

describe('the log of an outage', () => {
  it('has one line when the part goes, one a minute while it is away, and one when it is back', () => {
    const told: unknown[] = [];
    const note = ({ event }: { event: string }) => void told.push(event);
    let now = 0;
    // Alerts are on errors.
    const log = { error: note, info: note } as unknown as Parameters<typeof makeOutageLog>[0];
    const outage = makeOutageLog(log, { event: 'part', name: 'the part' }, () => now);
    for (; now < 150_000; now += 100) outage.noteFailure(new Error('away'));
    outage.noteSuccess();
    now += 5_000;
    outage.noteSuccess();
    outage.noteSuccess();
    expect(told).to.deep.equal(['part.lost', 'part.still_lost', 'part.still_lost', 'part.back']);
  });

  it('is the only line of background tasks that fail for want of the database; other failures have theirs', () => {
    const told: unknown[] = [];
    const note = ({ event }: { event: string }) => void told.push(event);
    const log = { error: note, warn: note, info: note } as unknown as Parameters<typeof makeOutageLogs>[0];
    const { onTaskFailed } = makeOutageLogs(log);
    const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    for (const event of ['reports.aggregate_failed', 'insight.claim_failed', 'turn.lease_failed'])
      onTaskFailed(away, event, 'failed');
    onTaskFailed(new TypeError('a bug'), 'reports.aggregate_failed', 'failed');
    expect(told).to.deep.equal(['database.lost', 'reports.aggregate_failed']);
  });

  it('is not begun by a statement that took too long, which has a line of its own', () => {
    const told: unknown[] = [];
    const note = ({ event }: { event: string }) => void told.push(event);
    const log = { error: note, warn: note, info: note } as unknown as Parameters<typeof makeOutageLogs>[0];
    const { database } = makeOutageLogs(log);
    const slow = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
    for (let failed = 0; failed < 100; failed += 1) database.noteFailure(slow);
    expect(told).to.deep.equal(Array(5).fill('database.statement_cancelled'));
  });

  it('names the remedy for a model that refuses calls', () => {
    const remedies: unknown[] = [];
    const note = ({ remedy }: { remedy?: string }) => void remedies.push(remedy);
    const log = { error: note, warn: note, info: note } as unknown as Parameters<typeof makeOutageLogs>[0];
    const call = { name: 'm', startedAt: '', ...nothing, durationMs: 5 };
    for (const status of [401, 429, 502]) makeOutageLogs(log).onModelCall({ ...call, status });
    expect(remedies[0]).to.include('OPENAI_API_KEY');
    expect(remedies[1]).to.include('limits');
    expect(remedies[2]).to.include('status page');
  });

  it('tells of a model that leaves calls unanswered until their deadline, and not of clients that leave sooner', () => {
    const told: unknown[] = [];
    const note = ({ event, reason }: { event: string; reason?: string }) => void told.push([event, reason]);
    const log = { error: note, warn: note, info: note } as unknown as Parameters<typeof makeOutageLogs>[0];
    const call = { name: 'm', status: 0, startedAt: '', ...nothing, error: 'aborted' };
    const { onModelCall } = makeOutageLogs(log);
    onModelCall({ ...call, durationMs: 900 });
    expect(told).to.deep.equal([]);
    onModelCall({ ...call, durationMs: 55_000 });
    onModelCall({ ...call, durationMs: 55_000 });
    expect(told).to.deep.equal([['model.lost', 'no answer within 55 s: time out']]);
  });

  it('tells nothing of what one request causes: an answer or arguments that are too long', () => {
    const told: unknown[] = [];
    const note = (line: unknown) => void told.push(line);
    const log = { error: note, warn: note, info: note } as unknown as Parameters<typeof makeOutageLogs>[0];
    const call = { name: 'm', status: 0, startedAt: '', ...nothing, durationMs: 5 };
    for (const error of ['unusable answer: too long', 'unusable answer: too large'])
      makeOutageLogs(log).onModelCall({ ...call, error });
    expect(told).to.deep.equal([]);
    makeOutageLogs(log).onModelCall({ ...call, error: 'unusable answer: no text' });
    expect(told).to.have.length(1);
  });

  it('tells that the model is back when it answers again, and not when calls are refused as wrong', () => {
    const told: unknown[] = [];
    const note = ({ event }: { event: string }) => void told.push(event);
    const log = { error: note, warn: note, info: note } as unknown as Parameters<typeof makeOutageLogs>[0];
    let now = 0;
    const { onModelCall } = makeOutageLogs(log, () => now);
    for (const status of [502, 400, 200, 200]) {
      onModelCall({ name: 'm', status, startedAt: '', ...nothing, durationMs: 5 });
      now += 11_000;
    }
    expect(told).to.deep.equal(['model.lost', 'model.back']);
  });
});
