import type { DataOf, OperationName } from '../../queues/contract/operations/index.ts';
import type { Fields } from '../support/operation-calls.ts';

/* Every list that is read in pages, and how a test writes rows that it has. */

export interface PagedList {
  readonly name: string;
  readonly operation: OperationName;
  readonly table: string;
  readonly column: string;
  /** The field of an item with that id; absent: the ids are those behind a figure of a report. */
  readonly field?: string;
  readonly figureOf?: (data: unknown) => Figure | undefined;
  /** Bodies with which it has each row that `insert` writes. */
  readonly filters: readonly Fields[];
  /** A body of another list of the same host, where a list is of one row. */
  readonly elsewhere?: Fields;
  /** Makes what the rows belong to, in each host once. */
  readonly prepare?: string;
  /** From `given (size, micros, nth)`: several rows have one microsecond, and some are long. */
  readonly insert: string;
  readonly change?: string;
}

export interface Figure {
  readonly count: number;
  readonly conversations: readonly string[];
  readonly nextCursor: string | null;
}

const CONTACT = '11111111-1111-4111-8111-111111111111';
const FLOW = '22222222-2222-4222-8222-222222222222';
const OTHER_FLOW = '22222222-2222-4222-8222-222222222223';
const CONVERSATION = '33333333-3333-4333-8333-333333333333';
const OTHER_CONVERSATION = '33333333-3333-4333-8333-333333333334';
const DATASET = '44444444-4444-4444-8444-444444444444';
const OTHER_DATASET = '44444444-4444-4444-8444-444444444445';
const CHUNK = '77777777-7777-4777-8777-777777777777';
const OTHER_CHUNK = '77777777-7777-4777-8777-777777777778';
const WEBHOOK = '55555555-5555-4555-8555-555555555555';
const EVENT = '66666666-6666-4666-8666-666666666666';

/** Before the walk, and long enough ago to be no news; of today, because retention deletes what is old. */
const hoursAgo = `date_trunc('hour', now()) - interval '2 hours'`;
const time = `${hoursAgo} + micros * interval '1 microsecond'`;
/** Columns in whole milliseconds. */
const millis = `${hoursAgo} + micros * interval '1 millisecond'`;
const given = `rows from (jsonb_to_recordset(:rows) as (size integer, micros integer)) with ordinality given (size, micros, nth)`;

const SINCE = { createdSince: '2026-01-01T00:00:00Z' };
const OF_CONTACT = { contactId: CONTACT };
const recordFilters = [{}, SINCE, OF_CONTACT, { ...SINCE, ...OF_CONTACT }];
const contact = `insert into contacts (host_id, id) values (:hostId, '${CONTACT}') on conflict do nothing`;
const record = `'${CONTACT}', gen_random_uuid(), to_jsonb(array[repeat('x', size)]), ${time} from ${given}`;
const received = `gen_random_uuid(), json_build_object('x', repeat('x', size)), ${time} from ${given}`;
const ofIntake = {
  operation: 'listIntakeRecords',
  table: 'intake_records',
  column: 'id',
  field: 'recordId',
  change: `update intake_records set warnings = '["x"]' where id = :id`,
} as const;

const flowNamed = (id: string) =>
  `insert into flows (host_id, id, avatar_id, name, steps, active)
   select host_id, '${id}', id, 'F', '[{"type": "message", "content": "x", "description": ""}]', false
   from (
     select host_id, id from avatars where host_id = :hostId order by id limit 1
   ) avatar on conflict do nothing`;

const documentIn = (dataset: string) =>
  `insert into documents (host_id, dataset_id, name, media_type, url, created_at)
   select :hostId, ${dataset}, 'Guia', 'text/html', 'https://a.example/' || repeat('x', size), ${time} from ${given}`;
const ofDocuments = {
  operation: 'listDocuments',
  table: 'documents',
  column: 'id',
  field: 'id',
  prepare: `insert into datasets (host_id, id, name) values (:hostId, '${DATASET}', 'Manual'), (:hostId, '${OTHER_DATASET}', 'Guias')
    on conflict do nothing`,
  change: `update documents set passages = passages + 1, updated_at = now() where id = :id`,
} as const;

const deliveryIn = (state: string) =>
  `insert into deliveries (host_id, event_id, webhook_id, state, attempts, created_at)
   select :hostId, '${EVENT}', '${WEBHOOK}', ${state}, 11, ${millis} from ${given}`;
const ofDeliveries = {
  operation: 'listDeliveries',
  table: 'deliveries',
  column: 'id',
  field: 'deliveryId',
  prepare: `with webhook as (
      insert into webhooks (host_id, id, name, url, origin, events, secrets)
      values (:hostId, '${WEBHOOK}', 'CRM', 'https://a.example/', 'https://a.example', '{}', '[]') on conflict do nothing
    ) insert into events (host_id, id, type, data) values (:hostId, '${EVENT}', 'webhook.test', '{}') on conflict do nothing`,
  change: `update deliveries set attempts = attempts + 1, due_at = now() where id = :id`,
} as const;

/** Each conversation has one message of its end user, at its time. */
const talks = (closed: boolean, content: string) =>
  `talk as (
     insert into conversations (host_id, created_at, updated_at, last_message_at, closed)
     select :hostId::uuid, at, at, at, ${closed} from (select ${time} as at from ${given}) talk_time
     returning host_id, id, created_at
   ), said as (
     insert into messages (host_id, conversation_id, author, content, created_at)
     select host_id, id, 'user', '${content}', created_at from talk
     returning host_id, seq, conversation_id, created_at
   )`;
const PERIOD = { startDate: '2026-01-01', endDate: '2030-12-01' };
const conversations = { table: 'conversations', column: 'id' } as const;

export const pagedLists: readonly PagedList[] = [
  {
    name: 'tickets',
    operation: 'listTickets',
    table: 'tickets',
    column: 'id',
    field: 'ticketId',
    filters: recordFilters,
    prepare: contact,
    insert: `insert into tickets (host_id, kind, contact_id, external_id, inter_data, created_at)
      select :hostId, (array['tickets', 'objects'])[1 + nth % 2], ${record}`,
    change: `update tickets set stage = 'x', updated_at = now() where id = :id`,
  },
  {
    name: 'leads',
    operation: 'listLeads',
    table: 'leads',
    column: 'id',
    field: 'leadId',
    filters: recordFilters,
    prepare: contact,
    insert: `insert into leads (host_id, arrived_at, kind, contact_id, external_id, inter_data, created_at)
      select :hostId, now(), (array['deals', 'objects'])[1 + nth % 2], ${record}`,
    change: `update leads set stage = 'x', updated_at = now() where id = :id`,
  },
  {
    ...ofIntake,
    name: 'records of any kind and fate',
    filters: [{}],
    insert: `insert into intake_records (host_id, kind, state, job_id, body, arrived_at)
      select :hostId, (array['tickets', 'deals', 'objects'])[1 + nth % 3],
        (array['done', 'refused', 'failed', 'received'])[1 + nth % 4], ${received}`,
  },
  {
    ...ofIntake,
    name: 'records of one kind and fate',
    filters: [{ kind: 'deals' }, { fate: 'refused' }, { kind: 'deals', fate: 'refused' }],
    insert: `insert into intake_records (host_id, kind, state, job_id, body, arrived_at)
      select :hostId, 'deals', 'refused', ${received}`,
  },
  {
    name: 'versions of a flow',
    operation: 'listFlowVersions',
    table: 'flow_versions',
    column: 'version',
    field: 'version',
    filters: [{ id: FLOW }],
    elsewhere: { id: OTHER_FLOW },
    prepare: `with flow as (${flowNamed(FLOW)}) ${flowNamed(OTHER_FLOW)}`,
    insert: `insert into flow_versions (host_id, flow_id, version, flow, saved_at)
      select host_id, id, nth + (select coalesce(max(version), 0) from flow_versions where (host_id, flow_id) = (:hostId, '${FLOW}')),
        to_jsonb(flows) || jsonb_build_object('template_ref', repeat('x', size)), now()
      from ${given} join flows on host_id = :hostId and id = '${FLOW}'`,
  },
  {
    name: 'conversations',
    operation: 'listConversations',
    ...conversations,
    field: 'id',
    filters: [{}, { closed: false }, { archived: false, platform: 'api' }, { updatedSince: '2026-01-01' }],
    insert: `with ${talks(false, 'Oi')} select from said`,
    // It comes to the front, where the walk has been.
    change: `with said as (
        insert into messages (host_id, conversation_id, author, content) select host_id, id, 'user', 'Voltei' from conversations
        where id = :id returning created_at
      ) update conversations set last_message_at = said.created_at, updated_at = said.created_at from said where id = :id`,
  },
  {
    name: 'messages of a conversation',
    operation: 'listMessages',
    table: 'messages',
    column: 'seq',
    field: 'messageId',
    filters: [{ conversationId: CONVERSATION }, { conversationId: CONVERSATION, notes: true }],
    elsewhere: { conversationId: OTHER_CONVERSATION },
    prepare: `insert into conversations (host_id, id)
      values (:hostId, '${CONVERSATION}'), (:hostId, '${OTHER_CONVERSATION}') on conflict do nothing`,
    insert: `insert into messages (host_id, conversation_id, author, content, created_at)
      select :hostId, '${CONVERSATION}', (array['user', 'human'])[1 + nth % 2], repeat('x', size), ${time} from ${given}`,
    change: `update messages set name = 'Bia' where seq = :id`,
  },
  {
    ...ofDocuments,
    name: 'documents of one dataset',
    filters: [{}, { dataset_id: DATASET }],
    insert: documentIn(`'${DATASET}'`),
  },
  {
    ...ofDocuments,
    name: 'documents of all datasets',
    filters: [{}],
    insert: documentIn(`(array['${DATASET}', '${OTHER_DATASET}'])[1 + nth % 2]::uuid`),
  },
  {
    ...ofDeliveries,
    name: 'deliveries in one state',
    filters: [{}, { webhookId: WEBHOOK }, { state: 'dead' }, { webhookId: WEBHOOK, state: 'dead' }],
    insert: deliveryIn(`'dead'`),
  },
  {
    ...ofDeliveries,
    name: 'deliveries in any state',
    filters: [{ webhookId: WEBHOOK }],
    insert: deliveryIn(`(array['dead', 'delivered'])[1 + nth % 2]`),
  },
  {
    name: 'contradictions',
    operation: 'listContradictions',
    table: 'contradictions',
    column: 'id',
    field: 'contradictionId',
    filters: [{}],
    prepare: `with dataset as (
        insert into datasets (host_id, id, name) values (:hostId, '${DATASET}', 'Manual')
        on conflict (host_id, id) do update set name = excluded.name returning id
      )
      insert into chunks (host_id, id, dataset_id, content, token_count)
      select :hostId, chunk::uuid, dataset.id, 'Às 8h.', 4 from dataset, unnest(array['${CHUNK}', '${OTHER_CHUNK}']) chunk
      on conflict do nothing`,
    insert: `insert into contradictions (host_id, kind, chunk_id, other_chunk_id, places, pairs, texts_hash, found_at)
      select :hostId, 'time', '${CHUNK}', '${OTHER_CHUNK}', to_jsonb(array[repeat('x', size)]), 1, gen_random_uuid(), ${time}
      from ${given}`,
    change: `update contradictions set pairs = pairs + 1 where id = :id`,
  },
  {
    name: 'changes of the configuration',
    operation: 'listAudit',
    table: 'audit_entries',
    column: 'id',
    field: 'auditId',
    filters: [{}, { operation: 'paged' }, { since: '2026-01-01' }],
    // Ids of one digit more have to come first.
    prepare: `select setval(pg_get_serial_sequence('audit_entries', 'id'), (10 ^ length(max(id)::text))::bigint - 10) from audit_entries`,
    insert: `insert into audit_entries (host_id, created_at, actor_kind, actor_name, operation, table_name, row_id)
      select :hostId, ${millis}, 'database', 'x', 'paged', 'x', nth::text from ${given}`,
  },
  {
    name: 'hosts',
    operation: 'listHosts',
    table: 'hosts',
    column: 'slug',
    field: 'slug',
    filters: [{}],
    insert: `insert into hosts (slug, name) select 'paged-' || md5(random()::text), 'X' from ${given}`,
    change: `update hosts set share = 1 + share % 10 where slug = :id`,
  },
  {
    name: 'conversations behind a gap',
    operation: 'getKnowledgeGaps',
    ...conversations,
    figureOf(data) {
      const [gap] = data as DataOf<'getKnowledgeGaps'>;
      return gap && { ...gap, count: gap.times };
    },
    filters: [PERIOD],
    insert: `with ${talks(false, 'Tem aula de latim medieval aos domingos?')}
      insert into gap_questions (host_id, message_seq, conversation_id, reason, asked_at)
      select host_id, seq, conversation_id, 'not_found', created_at from said`,
    change: `update gap_questions set answered_seq = message_seq where conversation_id = :id`,
  },
  {
    name: 'conversations that were abandoned',
    operation: 'getOutcomes',
    ...conversations,
    figureOf: data => (data as DataOf<'getOutcomes'>).abandoned,
    filters: [PERIOD],
    insert: `with ${talks(true, 'Oi')} select from said`,
    change: `insert into service_changes (host_id, conversation_id) select host_id, id from conversations where id = :id`,
  },
  {
    name: 'conversations with an answer whose figure has no source',
    operation: 'getOutcomes',
    ...conversations,
    figureOf: data => (data as DataOf<'getOutcomes'>).answers.unsupported,
    filters: [PERIOD],
    insert: `with ${talks(true, 'Oi')}
      insert into messages (host_id, conversation_id, author, content, created_at, unsupported)
      select host_id, conversation_id, 'assistant', 'R$ 9,00', created_at, '[{"kind":"money"}]' from said`,
    change: `update conversations set closed = not closed where id = :id`,
  },
  {
    name: 'conversations that are open',
    operation: 'getOutcomes',
    ...conversations,
    figureOf: data => (data as DataOf<'getOutcomes'>).open,
    filters: [PERIOD],
    insert: `with ${talks(false, 'Oi')} select from said`,
    change: `insert into messages (host_id, conversation_id, author, content) select host_id, id, 'assistant', 'Oi!' from conversations where id = :id`,
  },
];
