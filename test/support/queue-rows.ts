import type { Db } from '../../db/connection.ts';
import { rowsOf } from '../../db/rows-of.ts';
import type { StoredQueue } from './queue-twin.ts';

type Row = Record<string, unknown>;

/** Neither the events, which ours do not write, nor the version of the tables. */
const LEFT_OUT = ['event', 'migration'];

/** All rows of BullMQ's tables with all their columns. */
export async function readQueueRows(db: Db): Promise<StoredQueue> {
  const tables = await rowsOf<{ name: string }>(db)`
    select table_name as name from information_schema.tables where table_schema = 'bullmq' order by 1`;
  const read = async ({ name }: { name: string }) => {
    const rows: Row[] = await db.from(`bullmq.${name}`).select();
    return [
      name,
      name === 'job'
        ? jobsOf(rows)
        : rows
            .filter(isSteady)
            .map(row => JSON.stringify(row))
            .toSorted(),
    ];
  };
  const compared = tables.filter(({ name }) => !LEFT_OUT.includes(name));
  return Object.fromEntries(await Promise.all(compared.map(read))) as StoredQueue;
}

/** When the last stall check or test write was, differs. */
const isSteady = ({ field }: Row) => field !== 'stalled-check' && field !== 'parley-probe';

/** In the order of the queue; the numbers themselves differ. The mark of BullMQ's stall check, which ours does without, too. */
function jobsOf(rows: readonly Row[]): Row[] {
  return rows
    .toSorted((a, b) => Number(a.seq) - Number(b.seq))
    .map(({ seq: _seq, stalled_marked: _marked, ...row }) => maskJob(row));
}

function maskJob(row: Row): Row {
  const mask = (name: string, shown: string) => (row[name] === null ? {} : { [name]: shown });
  return {
    ...row,
    ...mask('processed_at_ms', 'time'),
    ...mask('finished_at_ms', 'time'),
    ...mask('lock_token', 'lock'),
    ...mask('locked_until_ms', Number(row.locked_until_ms) > Date.now() ? 'later' : 'before'),
  };
}
