import { expect } from 'chai';
import { findPersonRecords, listPersonRows } from '../../db/person/person-rows.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';
import { drawPersonColumns, otherColumns, personalColumns } from '../support/person-columns.ts';

/** Settings, staff (who are disabled, not erased) and what they prepared, knowledge, counts, what models cost and the state of the search index; `search_host_words` is erased word by word. */
const ABOUT_NOBODY = `
  people person_sessions saved_replies teams approved_answers
  host_providers audit_entries webhooks webhook_lanes token_hosts contracts crm_mappings crm_sources signed_messages mcp_configs rest_tools site_chats site_chat_counts
  evaluation_cases avatars agents agent_schemas flows flow_versions
  datasets dataset_avatars chunks chunk_words people_words people_stems contradiction_checks contradictions documents document_changes document_imports document_refreshes document_uploads scanned_pages
  gaps gap_months service_days report_days report_deltas budget_alerts insight_pauses spend_days spend_deltas spend_reservations
  search_host_words search_reconciled search_reindexes file_objects`;

const nobody = { contactIds: [], emails: [], phoneKeys: [], cpfs: [] };

describe('the tables about a person', () => {
  const { db } = openOnce(makeDatabase);

  it('are, with those that are known to be about nobody, all tables with rows of a host', async () => {
    const tables = await rowsOf<{ name: string }>(db)`
      select relname as name from pg_class join pg_attribute on attrelid = pg_class.oid
      where relkind = 'r' and relnamespace = 'public'::regnamespace and attname = 'host_id'`;
    const listed = await db.transaction(async tx => {
      const scope = { tx, hostId: '00000000-0000-4000-8000-000000000000' };
      return listPersonRows(scope, nobody, await findPersonRecords(scope, nobody));
    });
    const known = [...listed.map(({ table }) => table), ...ABOUT_NOBODY.trim().split(/\s+/)];
    expect(tables.map(({ name }) => name)).to.have.members(known);
  });

  it('have each column with personal data on the page, and no other that could hold any', async () => {
    const columns = await rowsOf<{ name: string; mayHold: boolean }>(db)`
      select relname || '.' || attname as name,
        format_type(atttypid, null) not in ('uuid', 'boolean', 'timestamp with time zone', 'xid8') as "mayHold"
      from pg_class join pg_attribute on attrelid = pg_class.oid
      where relkind = 'r' and relnamespace = 'public'::regnamespace and attnum > 0 and not attisdropped`;
    const named = (lists: Readonly<Record<string, string>>) =>
      Object.entries(lists).flatMap(([table, names]) => names.split(' ').map(name => `${table}.${name}`));
    const personal = named(
      Object.fromEntries(Object.entries(personalColumns).map(([table, [names]]) => [table, names])),
    );
    const known = [...personal, ...named(otherColumns)];
    const told = columns.filter(({ name, mayHold }) => mayHold || personal.includes(name));
    expect(known).to.have.members(told.map(({ name }) => name));
    const { page, drawn } = drawPersonColumns();
    expect(page, 'npx tsx test/support/person-columns.ts writes it').to.equal(drawn);
  });
});
