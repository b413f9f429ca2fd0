import { randomInt } from 'node:crypto';
import type { Db } from '../../db/connection.ts';
import { indexRecords, type SearchTable } from '../../db/search/records.ts';

type Row = Readonly<Record<string, unknown>>;

/** An id of the source without letters, as its words are indexed too: a random uuid would add random words. */
const digits = () => `${randomInt(2 ** 47)}`;

const needed: Readonly<Record<SearchTable, () => Row>> = {
  conversations: () => ({}),
  leads: () => ({ kind: 'deals', external_id: digits(), arrived_at: new Date() }),
  tickets: () => ({ kind: 'tickets', external_id: digits() }),
};

export async function insertIndexedRecord(
  db: Db,
  hostId: string,
  table: SearchTable,
  row: Row,
): Promise<string> {
  const id = await insertRecord(db, hostId, table, row);
  await indexRecords(db, [{ hostId, originTable: table, originId: id }]);
  return id;
}

export async function insertRecord(db: Db, hostId: string, table: SearchTable, row: Row): Promise<string> {
  const [written] = await db(table)
    .insert({ host_id: hostId, ...needed[table](), ...row })
    .returning('id');
  return written.id;
}
