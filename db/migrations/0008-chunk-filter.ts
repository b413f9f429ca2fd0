export const chunkFilter = `
  -- Both, or neither: without front-matter the content is all body, and the chunk is for everybody.
  alter table chunks
    add filter jsonb check (jsonb_typeof(filter) = 'object'),
    add body text,
    add check ((filter is null) = (body is null));

  drop view readable_chunks;
  alter table chunks drop folded, drop search;
  alter table chunks
    add folded text not null generated always as (fold_text(coalesce(body, content))) stored,
    add search tsvector not null generated always as (search_vector(coalesce(body, content))) stored;
  create index on chunks using gin (search);
  create index on chunks using gin (folded gin_trgm_ops);

  -- The one place that decides what an avatar may read. Whom a filter lets read is the turn's to say.
  create view readable_chunks with (security_invoker = true) as
    select chunk.host_id, link.avatar_id, chunk.dataset_id, dataset.name as dataset_name,
           dataset.type as dataset_type, dataset.expires, chunk.id as chunk_id, chunk.content, chunk.token_count,
           chunk.written_by, chunk.written_by_name, chunk.updated_at, chunk.folded, chunk.search,
           chunk.filter, coalesce(chunk.body, chunk.content) as body
    from dataset_avatars link
    join datasets dataset on dataset.host_id = link.host_id and dataset.id = link.dataset_id
    join chunks chunk on chunk.host_id = dataset.host_id and chunk.dataset_id = dataset.id
    where link.visible and not link.deleted
      and dataset.visible and not dataset.deleted and dataset.expires > now()
      and not chunk.deleted;
  grant select on readable_chunks to parley_app;
`;
