import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { makeLog } from '../../platform/log.ts';
import { replayLeftOver } from '../../workers/intake/replay-records.ts';
import { sendDeal } from '../support/crm.ts';
import { eventually } from '../support/eventually.ts';
import { inLanes } from '../support/in-lanes.ts';
import { usesRedis } from '../support/own-redis.ts';
import { openProcesses } from './processes.ts';

const RECORDS = 60;
const LANES = 12;
/** The retries of the CRM. */
const MAX_ATTEMPTS = 40;

describe('intake while its parts are killed', () => {
  const { service, redis, killAndRestart } = openProcesses({ workers: 2 });
  let refused: number[] = [];

  /** Sends each record twice until it is answered with 2xx; returns the ids. */
  const sendAll = async (from: number) => {
    const answered = new Map<number, Set<string>>();
    const todo = Array.from({ length: 2 * RECORDS }, (_, n) => from + (n % RECORDS));
    let left = todo.length;
    const done = inLanes(LANES, todo, async id => {
      const entity = await sendOne(id);
      answered.set(id, (answered.get(id) ?? new Set()).add(entity));
      left -= 1;
    });
    return { done, answered, left: () => left };
  };
  const sendOne = async (id: number): Promise<string> => {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const { status, body } = await sendDeal(service, id);
      if (status === 200) return body.entityData.id;
      refused.push(status);
      await delay(250);
    }
    throw new Error(`record ${id} was never taken`);
  };
  const demandAll = async (from: number, answered: ReadonlyMap<number, ReadonlySet<string>>) => {
    // Records that were received and not answered are in a job that runs again, or are left over.
    const { db } = service;
    await replayLeftOver({ owner: db, hosts: db }, makeLog('test', 'silent'), { olderThanMs: 0 });
    const stored = await db('leads').whereRaw('external_id::integer between ? and ?', [
      from,
      from + RECORDS - 1,
    ]);
    expect(stored).to.have.length(RECORDS);
    for (const { id, external_id } of stored)
      expect([...(answered.get(Number(external_id)) ?? [])]).to.deep.equal([id]);
    const leads = await db('leads');
    expect(await db('contacts').where('email', 'like', 'pessoa%')).to.have.length(leads.length);
    // After a 4xx, including 408, the CRM would drop the record.
    expect(refused.filter(status => status !== 503)).to.deep.equal([]);
    refused = [];
    await eventually(() => db('intake_records').whereNot({ state: 'done' }), { length: 0 });
  };

  it('loses no record that it answered, and doubles none, when its workers are killed', async () => {
    const { done, answered, left } = await sendAll(1);
    await eventually(left, count => count <= RECORDS, 60_000);
    // Both, so that one wait for their jobs is enough for the records of all lanes.
    await killAndRestart().restarted;
    await done;
    await demandAll(1, answered);
  });

  if (usesRedis) {
    it('nor when the queue’s store dies with all that is in it', async () => {
      const { done, answered, left } = await sendAll(10_001);
      await eventually(left, count => count < 1.5 * RECORDS, 60_000);
      await redis.kill();
      await eventually(
        () => refused.length,
        count => count > 0,
      );
      await redis.start();
      await done;
      await demandAll(10_001, answered);
    });
  }
});
