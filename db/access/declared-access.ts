/*
 * The access of each role, in one place. A release applies it after the migrations and restores what is missing: a
 * restored backup lacks grants and policies, because roles belong to the server.
 *
 * The role owns nothing. It reads and writes rows of the hosts in its transaction, and no table that is not listed
 * here.
 */

export const HOST_ROLE = 'parley_app';
export const HOST_POLICY = 'of_host';

export type Privilege = 'delete' | 'insert' | 'select' | 'update';

export interface HostTable {
  readonly may: readonly Privilege[];
  /** The condition of the policy, in the form in which PostgreSQL prints it. */
  readonly rows: string;
}

const inScope = '( SELECT hosts_in_scope() AS hosts_in_scope)';
const ofHost = (column: string) => `(${column} = ANY (${inScope}::uuid[]))`;
const all = { may: ['delete', 'insert', 'select', 'update'], rows: ofHost('host_id') } as const;
const read = { may: ['select'], rows: ofHost('host_id') } as const;

export const hostTables: Readonly<Record<string, HostTable>> = {
  agent_schemas: all,
  agents: all,
  approved_answers: all,
  // Only triggers write them.
  audit_entries: read,
  avatars: all,
  // Exists only with pgvector.
  chunk_embeddings: all,
  chunk_words: all,
  chunks: all,
  contacts: all,
  contracts: read,
  conversations: all,
  crm_mappings: all,
  crm_sources: all,
  contradiction_checks: all,
  contradictions: all,
  dataset_avatars: all,
  datasets: all,
  deliveries: all,
  document_changes: all,
  document_imports: all,
  document_refreshes: all,
  document_uploads: all,
  documents: all,
  evaluation_cases: all,
  consents: { may: ['insert', 'select'], rows: ofHost('host_id') },
  events: { may: ['insert', 'select'], rows: ofHost('host_id') },
  feedback: all,
  files: all,
  file_objects: { may: ['delete', 'insert', 'select'], rows: ofHost('host_id') },
  flow_steps_done: all,
  flow_versions: all,
  flows: all,
  gap_months: all,
  gap_questions: all,
  gaps: all,
  host_providers: all,
  hosts: { may: ['select'], rows: ofHost('id') },
  insight_pauses: all,
  insights_due: all,
  intake_records: all,
  leads: all,
  mcp_configs: all,
  messages: all,
  notes: all,
  people_stems: all,
  people_words: all,
  people: { may: ['insert', 'select', 'update'], rows: all.rows },
  // Only the api opens and reads them.
  person_sessions: { may: [], rows: all.rows },
  rest_tools: all,
  replies: { may: all.may, rows: `(${all.rows} AND (also_hosts <@ ${inScope}))` },
  report_days: read,
  report_deltas: { may: ['insert', 'select'], rows: all.rows },
  saved_replies: all,
  scanned_pages: all,
  search_host_words: read,
  search_outbox: all,
  search_reconciled: all,
  search_records: read,
  search_reindexes: all,
  search_repairs: all,
  // Only the owner writes them: a host cannot spend what it has not paid for.
  budget_alerts: read,
  spend_days: read,
  spend_deltas: read,
  spend_reservations: read,
  service_changes: all,
  service_days: all,
  services: all,
  signed_messages: all,
  site_chat_counts: all,
  site_chats: all,
  teams: all,
  tickets: all,
  tool_confirmations: all,
  turn_attachments: all,
  turns: all,
  webhook_lanes: all,
  webhooks: all,
};

/** Views that run with the rights of their reader. */
export const hostViews = [
  'conversations_to_search',
  'leads_to_search',
  'listed_chunks',
  'readable_chunks',
  'readable_datasets',
  'tickets_to_search',
] as const;

/**
 * Every security-definer function, and whether the role may call it; these check the hosts themselves. The others are called by
 * them and by triggers.
 */
export const ownerFunctions: Readonly<Record<string, { readonly isCallable: boolean }>> = {
  change_host: { isCallable: true },
  check_contradictions: { isCallable: false },
  chunk_candidates: { isCallable: true },
  chunk_neighbours: { isCallable: true },
  known_stems: { isCallable: true },
  next_message_seq: { isCallable: true },
  note_change: { isCallable: false },
  note_text: { isCallable: false },
  passages_near: { isCallable: true },
  queue_search_events_of_contacts: { isCallable: false },
  readable_datasets_of: { isCallable: false },
  search_fulltext: { isCallable: true },
  search_hybrid: { isCallable: true },
  search_phones: { isCallable: true },
  search_similar: { isCallable: true },
  store_words: { isCallable: false },
};
