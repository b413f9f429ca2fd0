import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Db } from '../../db/connection.ts';
import { assertMigrated } from '../../db/database-checks.ts';
import { createHost, listHosts } from '../../db/hosts/hosts.ts';
import { migrate } from '../../db/migrate.ts';
import { baseline, migrations } from '../../db/migrations/list.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { makeDatabase } from '../support/database.ts';
import { openEach } from '../support/opened.ts';

/** The names of the migrations that the baseline replaced. */
const replaced: readonly string[] = JSON.parse(
  readFileSync(join(import.meta.dirname, 'replaced-migrations.json'), 'utf8'),
);
const current = migrations.map(({ name }) => name);
/** Undoes the migrations after the baseline. */
const UNDO_LATER = `
  drop table contradictions, approved_answers, feedback;
  alter table gap_questions drop constraint gap_questions_reason_check,
    add constraint gap_questions_reason_check check (reason in ('not_found', 'handover', 'withheld', 'human'));
  drop table site_chat_counts, site_chats;
  drop table consents;
  drop table teams;
  alter table hosts drop column labels, drop column close_reasons, drop column reassign_after_minutes;
  alter table conversations drop column team_id, drop column labels, drop column close_reason, drop column closed_at,
    drop column untaken_since;
  alter table messages drop column from_channel, drop column external_ids;
  alter table conversations drop column staff_seq, drop column person_wrote_at, drop column window_told_for;
  drop index conversations_of_phones, conversations_attended;
  alter table hosts drop column return_after_minutes, drop column window_hours, drop column turns_per_person_per_hour;
  drop table tool_confirmations, rest_tools, saved_replies, insight_pauses;
  drop table host_providers;
  alter table hosts drop column share, drop column model_fallbacks, drop column bursts, drop column mask,
    drop column monthly_budget, drop column daily_budget, drop column disabled;
  alter table conversations drop column masked_values, drop column assigned_to, drop column assigned_person_ids,
    drop column help_closed_at;
  alter table intake_records drop column begun, drop column begun_at;
  alter table chunk_words drop column sound;
  drop index contacts_with_email, contacts_without_email, contacts_host_id_email_folded_idx;
  alter table contacts drop column cpf_key, add unique (host_id, email_folded);
  create unique index contacts_without_email on contacts (host_id, phone_key) where email_folded is null;
  drop function sound_of, cpf_key;
  create index conversations_to_empty on conversations ((coalesce(last_message_at, created_at)))
    where (dialogue_summary, main_topic, tip, heat_score_description, sentiment_score_explanation, user_name, wpp_id,
      global_data, user_data) <> ('', '', '', '', '', '', '', '{}'::jsonb, '{}'::jsonb);
  drop index conversations_listed, conversations_listed_by_platform, conversations_asking_help,
    conversations_changed_later;
  alter table messages drop column written_in, drop column payments, drop column sources,
    drop column unsupported, drop column person_id, drop column help_asked_at;
  drop trigger check_new on chunks;
  drop trigger check_changed on chunks;
  drop function check_contradictions;
  drop table contradiction_checks;
  drop table people_stems, people_words;
  alter table datasets drop column enrich;
  alter table hosts drop column mask_images;
  alter table avatars drop column on_unsupported, drop column answer_in_audio, drop column deleted, drop column on_failure,
    drop column failure_text, drop column idle_after_minutes, drop column rewrite, drop column answer_mode, add constraint avatars_host_id_sub_slug_key unique (host_id, sub_slug);
  alter table conversations drop column noted_at, drop column unanswered_at, drop column idle_due_at,
    drop column chat_history;
  alter table turns drop column failed_code;
  alter table turns drop column message, drop column chat_asked, drop column chat_answered;
  drop index old_rehearsals, messages_of_staff, turns_with_rest_calls;
  alter table spend_deltas drop column counted_at;
  drop table files, file_objects;
  drop function take_file_object, leave_file_object;
  alter table hosts drop column keep_attachments, drop column files_quota_mb;
  drop table notes, turn_attachments, token_sessions, person_sessions, people;
  alter table messages drop column event_id;
  drop view readable_chunks, listed_chunks;
  drop trigger note_change on chunks;
  alter table chunks add check ((filter is null) = (body is null));
  alter table chunks drop column document_id, drop column place, drop column position, drop column valid_from,
    drop column valid_until;
  drop function is_in_force;
  drop table scanned_pages, document_changes, document_refreshes, document_imports, document_uploads, documents;
  create view readable_chunks with (security_invoker = true) as
    select dataset.host_id, dataset.avatar_id, dataset.dataset_id, dataset.dataset_name,
           dataset.dataset_type, dataset.expires, chunk.id as chunk_id, chunk.content, chunk.token_count,
           chunk.written_by, chunk.written_by_name, chunk.updated_at, chunk.search,
           case when dataset.dataset_type = 'filtered_rag' then chunk.filter end as filter,
           coalesce(chunk.body, chunk.content) as body
    from readable_datasets dataset
    join chunks chunk on chunk.host_id = dataset.host_id and chunk.dataset_id = dataset.dataset_id
    where not chunk.deleted;
  alter table mcp_configs drop column unmasked;
  alter table turns drop column burst_last, drop column has_acted, drop column superseded_by,
    drop column answered_with, drop column reply_key, drop column reply_mac;
  drop table evaluation_cases;
  drop table gaps, gap_questions, gap_months, services, service_days, service_changes;
  drop function note_message cascade;
  create function add_message_deltas() returns trigger language plpgsql as 'begin return null; end';
  create trigger note_messages after insert on messages referencing new table as added
    for each statement execute function add_message_deltas();
  create trigger search_insert after insert on messages referencing new table as new_rows
    for each statement execute function queue_search_events_of_messages();
  drop function queue_changed_conversation cascade;
  create trigger search_update after update on conversations referencing new table as new_rows
    for each statement execute function queue_search_events('conversations');
  drop trigger note_service_change on conversations;
  alter table conversations drop column help_asked_at;
  drop function note_service_change, forget_services, forget_gap_questions, services_of,
    fold_services, lock_gaps, try_lock_gaps, lock_services, try_lock_services, utc_day, utc_month;
  drop table deliveries, events, webhook_lanes, webhooks;
  drop table audit_entries;
  drop table crm_sources, signed_messages, sign_in_links;
  drop index tickets_host_id_created_at_id_idx, tickets_host_id_contact_id_created_at_id_idx,
    leads_host_id_created_at_id_idx, leads_host_id_contact_id_created_at_id_idx,
    intake_records_host_id_state_kind_arrived_at_id_idx;
  create index on tickets (host_id, contact_id);
  create index on leads (host_id, contact_id);
  create index on intake_records (host_id, state, arrived_at) where state <> 'done';
  drop function note_change cascade;
  drop table spend_reservations, spend_deltas, spend_days, budget_alerts;
  drop function reserve_spend, reserve_of_budgets;
  drop function note_budget_reached;
  drop function aggregate_spend_deltas;
  alter table avatars drop column language;
  delete from function_files where name in ('audit', 'files', 'knowledge', 'spend', 'outcomes', 'reports', 'search-records')`;

describe('a database of the migrations before the baseline', () => {
  const database = openEach(makeDatabase);
  const { db } = database;
  beforeEach(async () => {
    await createHost(db, { slug: 'kept', name: 'Kept' });
  });

  /** The baseline builds the same schema: only the names of the migrations tell the two apart. */
  const pretend = async (names: readonly string[]) => {
    if (!names.includes('0038-host-shares')) await db.raw(UNDO_LATER);
    await db('knex_migrations').delete();
    await db('knex_migrations').insert(names.map(name => ({ name, batch: 1, migration_time: new Date() })));
  };
  const release = () =>
    migrate(db)
      .then(() => 'migrated')
      .catch((error: Error) => error.message);

  it('is adopted by a release, which runs no migration of the baseline and keeps all rows', async () => {
    const before = await catalogOf(db);
    await pretend(replaced);
    expect(await release()).to.equal('migrated');
    expect(await db('knex_migrations').orderBy('name').pluck('name')).to.have.members([
      ...replaced,
      ...current,
    ]);
    expect(await catalogOf(db)).to.deep.equal(before);
    expect(await listHosts(db)).to.have.length(1);
    await assertMigrated(db);
  });

  it('is adopted once, also by concurrent releases', async () => {
    await pretend(replaced);
    expect(await Promise.all([release(), release(), release()])).to.deep.equal(Array(3).fill('migrated'));
    expect(await release()).to.equal('migrated');
    expect(await db('knex_migrations').pluck('name')).to.have.members([...replaced, ...current]);
  });

  it('keeps the names that processes of the previous version look for', async () => {
    await pretend(replaced);
    await release();
    expect(await db('knex_migrations').pluck('name')).to.include.members([...replaced]);
  });

  it('is upgraded when later migrations were applied before it was adopted', async () => {
    const later = current.slice(baseline.length);
    await pretend([...replaced, ...later]);
    expect(await release()).to.equal('migrated');
    expect(await db('knex_migrations').pluck('name')).to.have.members([...replaced, ...current]);
  });

  for (const [state, names] of [
    ['lacks the last one', replaced.slice(0, -1)],
    ['has only the first one', replaced.slice(0, 1)],
    ['lacks one in between', replaced.toSpliced(20, 1)],
  ] as const)
    it(`is refused in one line, unchanged, if it ${state}`, async () => {
      await pretend(names);
      await db.raw('drop function search_hybrid');
      const before = await catalogOf(db);
      expect(await release()).to.match(
        /^The database is too old for this version \(its last migration is 00[^\n]+\): first run the release step of version 0\.1\.0 at commit [0-9a-f]{7},[^\n]+$/,
      );
      expect(await db('knex_migrations').orderBy('id').pluck('name')).to.deep.equal([...names]);
      expect(await catalogOf(db)).to.deep.equal(before);
    });
});

describe('a database of a newer version', () => {
  it('is refused by a release in one line that names the unknown migration', async () => {
    const database = await makeDatabase();
    await database.db('knex_migrations').insert({ name: '9999-later', batch: 2, migration_time: new Date() });
    const line = await migrate(database.db)
      .then(() => 'migrated')
      .catch((error: Error) => error.message);
    expect(line).to.match(/^The database has the migration 9999-later, which this version does not know/);
    await database.drop();
  });
});

describe('the baseline', () => {
  it('has no name of a migration that it replaced', () => {
    expect(replaced).to.have.length(35);
    expect(replaced.filter(name => current.includes(name))).to.deep.equal([]);
  });
});

/** Tables, views, indexes and functions, with the definitions of the latter. */
function catalogOf(db: Db): Promise<unknown[]> {
  return rowsOf(db)`
    select relname as name, relkind::text as definition from pg_class where relnamespace = 'public'::regnamespace
    union all
    select proname, pg_get_functiondef(oid) from pg_proc
    where pronamespace = 'public'::regnamespace and prokind = 'f' and prolang in (
      select oid from pg_language where lanname in ('sql', 'plpgsql'))
    order by 1, 2`;
}
