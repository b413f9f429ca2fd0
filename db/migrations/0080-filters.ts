import { auditedTable } from './audited-table.ts';

/**
 * The filter of a chunk is a field: what was its head is no part of its text any more. Processes of before write the text
 * without the head into `body` still, so it is read first.
 */
export const filters = `
  alter table chunks drop constraint chunks_check;
  -- Nobody changed the text.
  drop trigger note_change on chunks;
  update chunks set content = body, body = null where body is not null;
  ${auditedTable('chunks', { omitted: 'search,body,written_by,written_by_name' })}

  alter table documents add column filter jsonb check (jsonb_typeof(filter) = 'object');
  alter table document_imports add column filter jsonb check (jsonb_typeof(filter) = 'object');

  create or replace view readable_chunks with (security_invoker = true) as
    select dataset.host_id, dataset.avatar_id, dataset.dataset_id, dataset.dataset_name,
           dataset.dataset_type, dataset.expires, chunk.id as chunk_id,
           coalesce(chunk.body, chunk.content) as content, chunk.token_count,
           chunk.written_by, chunk.written_by_name, chunk.updated_at, chunk.search,
           case when dataset.dataset_type = 'filtered_rag' then chunk.filter end as filter,
           coalesce(chunk.body, chunk.content) as body,
           chunk.document_id,
           -- Not a join: most chunks are of no document, and this is read for those that are.
           case when chunk.document_id is not null then (
             select concat_ws(', ', document.name, nullif(chunk.place, '')) from documents document
             where document.host_id = chunk.host_id and document.id = chunk.document_id
           ) end as document_title,
           chunk.position,
           -- Also where the dataset has no filters.
           chunk.filter as own_filter
    from readable_datasets dataset
    join chunks chunk on chunk.host_id = dataset.host_id and chunk.dataset_id = dataset.dataset_id
    where not chunk.deleted;
`;
