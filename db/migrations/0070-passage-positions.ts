/** The order of the passages that one import has added; null for other chunks, and for those that were imported before. */
export const passagePositions = `
  alter table chunks add column position integer;

  create or replace view readable_chunks with (security_invoker = true) as
    select dataset.host_id, dataset.avatar_id, dataset.dataset_id, dataset.dataset_name,
           dataset.dataset_type, dataset.expires, chunk.id as chunk_id, chunk.content, chunk.token_count,
           chunk.written_by, chunk.written_by_name, chunk.updated_at, chunk.search,
           case when dataset.dataset_type = 'filtered_rag' then chunk.filter end as filter,
           coalesce(chunk.body, chunk.content) as body,
           chunk.document_id,
           -- Not a join: most chunks are of no document, and this is read for those that are.
           case when chunk.document_id is not null then (
             select concat_ws(', ', document.name, nullif(chunk.place, '')) from documents document
             where document.host_id = chunk.host_id and document.id = chunk.document_id
           ) end as document_title,
           chunk.position
    from readable_datasets dataset
    join chunks chunk on chunk.host_id = dataset.host_id and chunk.dataset_id = dataset.dataset_id
    where not chunk.deleted;
`;
