import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { wrapText } from './draw-calls.ts';
import { root } from './source-files.ts';

/*
 * The columns with personal data, for docs/personal-data.md. A column of the schema is in one of the two lists; ids, times and flags are
 * in none unless they say something of a person. This file writes the page where it is run: `npx tsx test/support/person-columns.ts`.
 */

/** By table: the columns, and what they hold. */
export const personalColumns: Readonly<Record<string, readonly [columns: string, what: string]>> = {
  contacts: [
    'name email email_folded phone phone_digits phone_e164 phone_key cpf cpf_key external_id',
    'who the person is',
  ],
  consents: [
    'version text_digest channel withdrawn said_at',
    'what the person agreed to or withdrew, where and when',
  ],
  conversations: [
    'user_name wpp_id external_id global_data user_data masked_values chat_history dialogue_summary main_topic tip categories heat_score heat_score_description heat_adjustment sentiment_score sentiment_score_explanation labels close_reason assigned_to assigned_person_ids',
    'who the person is, what callers told of them, what the model made of the dialogue, and which staff attends',
  ],
  messages: [
    'content name payments sources unsupported external_ids',
    'what the person, the assistant and staff wrote; ids of the channel as digests',
  ],
  notes: ['content name', 'what staff wrote for each other'],
  files: ['name content transcript', 'files of the person and of staff, sealed; the words of recordings'],
  turn_attachments: ['content transcript', 'what was attached to a turn, until it ends'],
  turns: [
    'question message receipt chat_asked chat_answered reply_key reply_mac',
    'the question, how it was answered, and digests of both',
  ],
  tool_confirmations: ['key arguments answer', 'what a REST tool was to be called with, and answered'],
  leads: [
    'external_id firstname lastname email mobilephone phone_e164 cpf date_of_birth sexo nome_da_m_e cep rua numero_endereco complemento bairro cidade estado dealname stage unidade tipo_ingresso local_da_prova modalidade_de_ensino generalinstructions inter_data digest',
    'what the CRM knows of the person',
  ],
  tickets: [
    'external_id subject content firstname lastname email mobilephone phone_e164 stage campus inter_data digest',
    'what the person asked for',
  ],
  intake_records: ['body', 'records of a CRM as they came'],
  replies: ['key body_hash outcome', 'answers that are kept for a repeated call'],
  events: ['data', 'what webhooks are told'],
  search_records: [
    'title original content vector phone phone_key hash',
    'copies of the records for the search',
  ],
  search_host_words: ['word', 'words of the records, for their spelling'],
  feedback: ['author text', 'who said whether an answer was right, and what they say'],
  gap_questions: ['words', 'words of a question without an answer'],
  gaps: ['words', 'words that several such questions share'],
  evaluation_cases: ['cases', 'questions that staff check, perhaps as people asked them'],
  audit_entries: ['actor_name before after', 'who of the staff changed what'],
  people: ['name email role link_hash', 'who of the staff may sign in'],
  person_sessions: ['hash', 'who of the staff is signed in'],
  teams: ['person_ids', 'who of the staff is in a team'],
  saved_replies: ['name text', 'what staff prepared, also for themselves'],
  chunks: ['written_by_name', 'who of the staff wrote a passage; its text is knowledge of the host'],
  document_imports: ['token_name', 'who imported a document'],
  rest_tools: ['last_try', 'which function was called last, by staff or in which conversation'],
  approved_answers: [
    'questions asked_keys',
    'questions that staff approved an answer for, perhaps as people asked them',
  ],
  site_chat_counts: ['asker last_key', 'which visitor or address asked how often in a site chat'],
  tokens: ['name', 'how the operator named a token'],
};

/** By table: the columns that hold nothing of a person. */
export const otherColumns: Readonly<Record<string, string>> = {
  approved_answers: 'avatar_ids reader answer',
  site_chat_counts: 'count',
  site_chats:
    'public_key origins title greeting colour visitor_questions_per_hour address_questions_per_hour questions_per_day',
  document_refreshes: 'trouble pages',
  document_changes: 'number reason added kept removed incomplete gone',
  contradictions: 'kind places pairs texts_hash state decided_by',
  feedback: 'turn_id score scale verdict message_seq flow_version sources',
  agent_schemas: 'name description arguments',
  agents: 'name description front_schema front_name lucide_icon',
  audit_entries: 'id actor_kind operation table_name row_id',
  avatars:
    'sub_slug name picture prompt_envelop model on_unsupported language on_failure failure_text idle_after_minutes answer_mode',
  budget_alerts: 'period first_day percent amount',
  chunk_words: 'word sound',
  chunks: 'content token_count filter body search place position',
  contracts: 'starts_on price services',
  conversations: 'platform insight_by insight_seq staff_seq',
  crm_mappings: 'kind version mapping',
  crm_sources: 'name address kind scheme settings ack sealed_secret sealed_earlier_secret',
  datasets: 'name type',
  deliveries: 'url state attempts claim last_status last_error',
  document_imports:
    'id number name media_type url attempts stage done total reason added kept removed incomplete struck filter gone validity scans',
  document_uploads: 'content',
  documents: 'external_key name media_type url passages filter refresh_every_hours scans',
  events: 'type',
  file_objects: 'tries',
  files: 'message_seq turn_id place media_type size sealed_key',
  flow_steps_done: 'step_key turn_id',
  flow_versions: 'version flow',
  flows: 'name steps prompt_template_name model template_ref type version',
  function_files: 'name hash',
  gap_months: 'month times',
  gap_questions: 'message_seq reason answered_seq',
  host_providers: 'name base_url sealed_key models revision insight_model transcription_model',
  hosts:
    'slug name picture time_zone business_hours max_chunks chunk_size_limit open_minutes share model_fallbacks bursts monthly_budget daily_budget mask_images return_after_minutes window_hours turns_per_person_per_hour keep_attachments files_quota_mb labels close_reasons reassign_after_minutes',
  insight_pauses: 'failures',
  insights_due: 'tries',
  intake_records: 'kind job_id state reasons warnings status record_table mapping_version begun',
  knex_migrations: 'id name batch',
  knex_migrations_lock: 'index is_locked',
  leads: 'kind warnings',
  mcp_configs: 'name transport_type config sealed_headers version revision',
  messages: 'seq turn_id author',
  notes: 'seq',
  people_stems: 'stem',
  people_words: 'words tries',
  process_metrics: 'process metrics',
  replies: 'job_id operation code also_hosts',
  report_days: 'day kind platform total after_hours',
  report_deltas: 'id kind platform amount',
  rest_tools: 'name config sealed_secrets functions',
  saved_replies: 'revision',
  scanned_pages: 'page hash text',
  search_outbox: 'seq origin_table operation source attempts',
  search_pipeline: 'processed failed reconnects flush_ms reconcile_ms',
  search_reconciled: 'origin_table source indexed missing stale orphans repaired removed',
  search_records: 'origin_table',
  search_reindexes: 'id tables mode batch_size indexed removed',
  search_repairs: 'seq origin_table what',
  service_changes: 'id',
  service_days: 'day outcome total',
  services: 'outcome',
  sign_in_links: 'hash',
  signed_messages: 'message job_id',
  spend_days:
    'day model avatar_id purpose calls tokens cost estimated_cost input_tokens cached_tokens output_tokens own_cost',
  spend_deltas:
    'model avatar_id purpose tokens cost estimated_cost input_tokens cached_tokens output_tokens own_cost',
  spend_reservations: 'holder attempt amount',
  teams: 'name description',
  tickets: 'kind warnings',
  token_sessions: 'hash',
  tokens: 'kind hash scopes',
  tool_confirmations: 'name state asked_turn called_turn',
  turns: 'id state attempt tokens superseded_by answered_with failed_code',
  webhook_lanes: 'failures',
  webhooks: 'name url origin events secrets',
  write_probe: 'filler',
};

const mark = /(?<=<!-- Columns: test\/support\/person-columns\.ts -->\n)[^]*?(?=\n## )/;
const path = join(root, 'docs', 'personal-data.md');

/** The page as it is, and as it is to be. */
export function drawPersonColumns(): { readonly page: string; readonly drawn: string } {
  const page = readFileSync(path, 'utf8');
  const rows = Object.entries(personalColumns).map(([table, [columns, what]]) =>
    wrapText(`- \`${table}\` (${what}): ${columns.split(' ').join(', ')}`).replaceAll('\n', '\n  '),
  );
  return { page, drawn: page.replace(mark, () => `\n${rows.join('\n')}\n`) };
}

if (process.argv[1] === import.meta.filename) writeFileSync(path, drawPersonColumns().drawn);
