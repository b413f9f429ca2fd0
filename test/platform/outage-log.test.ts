import { expect } from 'chai';
import { makeOutageLog } from '../../platform/outage-log.ts';
import { NO_TOKENS } from '../../workers/model/prices.ts';
import { makeOutageLogs } from '../../workers/outage-logs.ts';

const call = {
  name: 'm',
  purpose: 'turn',
  startedAt: '',
  tokens: 0,
  usage: NO_TOKENS,
  cost: '0',
  durationMs: 5,
} as const;
const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

interface Line {
  readonly event: string;
  readonly purpose?: string;
  readonly detail?: string;
  readonly reason?: string;
  readonly remedy?: string;
}

/** The outages of a worker, and what their log is told. */
function makeToldLogs(clock?: () => number) {
  const lines: Line[] = [];
  const note = (line: Line) => void lines.push(line);
  const log = { error: note, warn: note, info: note } as unknown as Parameters<typeof makeOutageLogs>[0];
  return { ...makeOutageLogs(log, clock), lines, events: () => lines.map(({ event }) => event) };
}

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
    const { onTaskFailed, events } = makeToldLogs();
    for (const event of ['reports.aggregate_failed', 'insight.claim_failed', 'turn.lease_failed'])
      onTaskFailed(away, event, 'failed');
    onTaskFailed(new TypeError('a bug'), 'reports.aggregate_failed', 'failed');
    expect(events()).to.deep.equal(['database.lost', 'reports.aggregate_failed']);
  });

  it('is not begun by a statement that took too long, which has a line of its own', () => {
    const { database, events } = makeToldLogs();
    const slow = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
    for (let failed = 0; failed < 100; failed += 1) database.noteFailure(slow);
    expect(events()).to.deep.equal(Array(5).fill('database.statement_cancelled'));
  });

  it('says in our words what a library says, whose own are the detail', () => {
    const told = {
      'Knex: Timeout acquiring a connection. The pool is probably full. Are you missing a .transacting(trx) call?':
        'no connection to the database became free in time',
      'timeout exceeded when trying to connect': 'the database accepted no connection in time',
      'Connection terminated unexpectedly': 'the database ended the connection',
    };
    for (const [detail, reason] of Object.entries(told)) {
      const { database, lines } = makeToldLogs();
      database.noteFailure(new Error(detail));
      expect(lines[0]).to.include({ event: 'database.lost', reason, detail });
      expect(lines[0]?.remedy).to.be.a('string');
    }
  });

  it('has the purpose of the calls: a model that fails at insights and answers turns is no outage of the turns', () => {
    let now = 0;
    const { onModelCall, lines } = makeToldLogs(() => now);
    const insight = { ...call, purpose: 'insight', status: 0, error: 'unusable answer: empty' } as const;
    for (; now < 30_000; now += 1_000) {
      onModelCall({ ...call, status: 200 });
      onModelCall(insight);
    }
    onModelCall({ ...call, status: 500 });
    expect(lines.map(({ event, purpose }) => `${event} ${purpose}`)).to.deep.equal([
      'model.lost insight',
      'model.lost turn',
    ]);
    expect(lines[0]?.remedy).to.include('INSIGHT_CONCURRENCY');
  });

  it('names the remedy for a model that refuses calls', () => {
    const statuses = { 401: 'OPENAI_API_KEY', 429: 'limits', 502: 'status page' };
    for (const [status, remedy] of Object.entries(statuses)) {
      const { onModelCall, lines } = makeToldLogs();
      onModelCall({ ...call, status: Number(status) });
      expect(lines[0]?.remedy).to.include(remedy);
    }
  });

  it('tells of a model that leaves calls unanswered until their deadline, and not of clients that leave sooner', () => {
    const { onModelCall, lines } = makeToldLogs();
    for (const durationMs of [900, 55_000, 55_000])
      onModelCall({ ...call, status: 0, error: 'aborted', durationMs });
    expect(lines.map(({ event, reason }) => [event, reason])).to.deep.equal([
      ['model.lost', 'no answer within 55 s: time out'],
    ]);
  });

  it('tells nothing of what one request causes: an answer or arguments that are too long', () => {
    const { onModelCall, lines } = makeToldLogs();
    for (const error of ['unusable answer: too long', 'unusable answer: too large'])
      onModelCall({ ...call, status: 0, error });
    expect(lines).to.deep.equal([]);
    onModelCall({ ...call, status: 0, error: 'unusable answer: no text' });
    expect(lines).to.have.length(1);
  });

  it('tells that the model is back when it answers again, and not when calls are refused as wrong', () => {
    let now = 0;
    const { onModelCall, events } = makeToldLogs(() => now);
    for (const status of [502, 400, 200, 200]) {
      onModelCall({ ...call, status });
      now += 11_000;
    }
    expect(events()).to.deep.equal(['model.lost', 'model.back']);
  });
});
