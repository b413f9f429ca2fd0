/**
 * When a passage is valid, also of a document as a whole: `is_in_force` is the only place that says what that means. Staff list
 * passages (`listed_chunks`) that nobody else may read at the time.
 */
export const validity = `
  create function is_in_force(valid_from timestamptz, valid_until timestamptz) returns boolean language sql stable parallel safe
    return (valid_from is null or valid_from <= now()) and (valid_until is null or valid_until > now());

  alter table chunks add column valid_from timestamptz, add column valid_until timestamptz;
  alter table documents add column valid_from timestamptz, add column valid_until timestamptz;
  -- As ordered: an end that is absent stays as it is, null takes it away.
  alter table document_imports add column validity jsonb;

  create view listed_chunks with (security_invoker = true) as
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
           chunk.filter as own_filter,
           chunk.valid_from, chunk.valid_until
    from readable_datasets dataset
    join chunks chunk on chunk.host_id = dataset.host_id and chunk.dataset_id = dataset.dataset_id
    where not chunk.deleted;

  create or replace view readable_chunks with (security_invoker = true) as
    select * from listed_chunks where is_in_force(valid_from, valid_until);
`;
