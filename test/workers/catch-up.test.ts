import { expect } from 'chai';
import type { Db } from '../../db/connection.ts';
import { type BatchEnd, catchUp, catchUpAll } from '../../workers/reports/catch-up.ts';

const db = undefined as unknown as Db;

describe('what reports count', () => {
  it('is counted for all hosts in turn, while one of them goes on writing', async () => {
    const stopped = new AbortController();
    const counted: string[] = [];
    const left = new Map([
      ['busy', Number.POSITIVE_INFINITY],
      ['calm', 3],
    ]);
    const count = async (_: Db, hostId: string): Promise<BatchEnd> => {
      counted.push(hostId);
      const batches = (left.get(hostId) ?? 0) - 1;
      left.set(hostId, batches);
      if (counted.length >= 20) stopped.abort();
      return batches > 0 ? 'full' : 'done';
    };
    const listHosts = async () => [...left].filter(([, batches]) => batches > 0).map(([id]) => id);
    await catchUpAll(db, listHosts, count, stopped.signal);
    expect(left.get('calm')).to.equal(0);
    expect(counted.lastIndexOf('calm')).to.equal(5);
  });

  it('is counted for the others where it cannot be for one, and then that is told', async () => {
    const left = new Map([
      ['broken', 1],
      ['calm', 3],
    ]);
    const count = async (_: Db, hostId: string): Promise<BatchEnd> => {
      if (hostId === 'broken') throw new Error('cannot be counted');
      const batches = (left.get(hostId) ?? 0) - 1;
      left.set(hostId, batches);
      return batches > 0 ? 'full' : 'done';
    };
    const listHosts = async () => [...left].filter(([, batches]) => batches > 0).map(([id]) => id);
    const counting = catchUpAll(db, listHosts, count, new AbortController().signal);
    expect(await counting.catch((error: Error) => error.message)).to.equal('cannot be counted');
    expect(left.get('calm')).to.equal(0);
  });

  it('ends at once where there is no database', async () => {
    let tries = 0;
    const count = async (): Promise<BatchEnd> => {
      tries += 1;
      throw Object.assign(new Error('gone'), { code: 'ECONNREFUSED' });
    };
    const counting = catchUpAll(db, async () => ['one', 'two'], count, new AbortController().signal);
    expect(await counting.catch((error: Error) => error.message)).to.equal('gone');
    expect(tries).to.equal(1);
  });

  it('is shown as far as it is counted where counting takes too long', async () => {
    let tries = 0;
    const count = async (): Promise<BatchEnd> => {
      tries += 1;
      throw Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
    };
    await catchUp(db, 'host', count);
    expect(tries).to.equal(1);
  });

  it('holds up no report, whether its host goes on writing or another transaction counts', async () => {
    for (const end of ['full', 'busy'] as const) {
      let tries = 0;
      const count = async (): Promise<BatchEnd> => {
        tries += 1;
        return end;
      };
      await catchUp(db, 'host', count);
      expect(tries).to.be.within(1, 100);
    }
  });
});
