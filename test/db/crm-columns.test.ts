import { expect } from 'chai';
import { type RecordTable, recordColumns } from '../../db/intake/crm-records.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { columns } from '../../workers/domain/crm/mapping.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';

/** Columns that the service fills itself; `digest` is unused. */
const common = ['id', 'host_id', 'kind', 'contact_id', 'arrived_at', 'created_at', 'updated_at', 'digest'];
const ownColumns = { leads: common, tickets: [...common, 'opened_at', 'solved_at', 'conversation_id'] };
/** Columns of a record that no mapping names: they are derived from it. */
const derivedColumns = ['phone_e164', 'inter_data', 'warnings', 'campus'];

describe('the columns of a CRM record', () => {
  const { db } = openOnce(makeDatabase);

  for (const table of ['leads', 'tickets'] satisfies RecordTable[]) {
    it(`are all columns of the table ${table} that the service does not fill itself`, async () => {
      const found = await rowsOf<{ name: string }>(db)`
        select attname as name from pg_attribute
        where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attgenerated = ''`;
      const fromRecords = found.map(({ name }) => name).filter(name => !ownColumns[table].includes(name));
      expect(recordColumns[table]).to.have.members(fromRecords);
    });

    it(`can be named by a mapping of ${table}, except derived ones`, () => {
      const mapped = Object.keys(columns[table]).filter(name => name !== 'opened_at');
      const named = recordColumns[table].filter(name => !derivedColumns.includes(name));
      expect(mapped).to.have.members(named);
    });
  }
});
