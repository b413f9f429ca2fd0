-- A page has the same records whatever was requested before: later pages get more candidates after the earlier ones.
-- Candidates near the top: 400 records, 160 places, 1,000 phones; further down 7,000 records and 11,000 places.

create or replace function search_fulltext(asked text, cpf text, most integer, skip integer, out total bigint,
  out is_estimate boolean, out hits search_hit[])
  language plpgsql stable security definer set plan_cache_mode = force_custom_plan set search_path = public, pg_temp
  set enable_seqscan = off
as $$
declare
  hosts constant uuid[] := coalesce(hosts_in_scope(), '{}');
  tags constant text[] := search_tags(hosts);
  any_word constant tsquery := any_word_query(concat_ws(' ', search_text(asked), cpf));
  words constant text[] := search_words_of(asked);
  candidates record;
  first_ids tid[] := '{}';
  ids tid[] := '{}';
begin
  total := 0;
  is_estimate := false;
  hits := '{}';
  if cardinality(hosts) = 0 then return; end if;
  if cardinality(words) > 0 then
    select * into candidates from search_holding(tags, words, 300, 'often');
    ids := candidates.ids;
    is_estimate := candidates.is_cut;
    total := candidates.total;
  end if;
  if cpf is not null then
    ids := array(select unnest(ids) union select unnest(more.ids) from search_holding(tags, array[cpf], 400, 'often') more);
  end if;
  total := greatest(total, cardinality(ids));
  if is_estimate and most + skip > 160 then
    first_ids := array(select id from search_ranked('{}', ids, hosts, any_word, 160, 0));
    ids := array(select unnest(ids) union select unnest(more.ids) from search_holding(tags, words, 7000, 'often') more);
  end if;
  hits := array(
    select row(origin_table, origin_id, host_id, rank, rank, 0, 0, '{fts}'::text[], title, original,
      updated_at)::search_hit
    from search_ranked(first_ids, ids, hosts, any_word, most, skip) ranked join search_records on ctid = ranked.id
    order by ranked.place);
end $$;

create or replace function search_hybrid(asked text, cpf text, digits text, endings text[], most integer, skip integer,
  out total bigint, out is_estimate boolean, out hits search_hit[])
  language plpgsql stable security definer set plan_cache_mode = force_custom_plan set search_path = public, pg_temp
as $$
declare
  hosts constant uuid[] := coalesce(hosts_in_scope(), '{}');
  tags constant text[] := search_tags(hosts);
  wanted search_asked := search_asked_for(asked, cpf, digits, endings);
  candidates record;
  first_ids tid[] := '{}';
  ids tid[] := '{}';
begin
  total := 0;
  is_estimate := false;
  hits := '{}';
  if cardinality(hosts) = 0 then return; end if;
  if cardinality(wanted.words) > 0 then
    select * into candidates from search_holding_any(tags, wanted.words, 400, 200);
    ids := candidates.ids;
    is_estimate := candidates.is_cut;
  end if;
  if cardinality(endings) > 0 then
    ids := array(select unnest(ids) union select search_phones_ending(hosts, endings, 400));
  end if;
  total := cardinality(ids);
  if is_estimate then total := greatest(total, search_count_any(tags, wanted.words)); end if;
  if is_estimate and most + skip > 160 then
    first_ids := array(select id from search_placed('{}', ids, hosts, wanted) where place <= 160);
    ids := array(select unnest(ids) union
      select unnest(more.ids) from search_holding_any(tags, wanted.words, 7000, 11000) more);
  end if;
  if cardinality(ids) < most + skip then
    wanted.alike := search_words_like(wanted.words);
    if cardinality(wanted.alike) > 0 then
      select * into candidates from search_holding_any(tags, wanted.alike, 400, 1000000);
      ids := array(select unnest(ids) union select unnest(candidates.ids));
      is_estimate := is_estimate or candidates.is_cut;
      total := greatest(total, cardinality(ids));
    end if;
  end if;
  hits := array(select hit from search_scored(first_ids, ids, hosts, wanted, 0.3, most, skip) hit);
end $$;

create or replace function search_similar(asked text, threshold float8, most integer, skip integer,
  out total bigint, out is_estimate boolean, out hits search_hit[])
  language plpgsql stable security definer set plan_cache_mode = force_custom_plan set search_path = public, pg_temp
as $$
declare
  hosts constant uuid[] := coalesce(hosts_in_scope(), '{}');
  tags constant text[] := search_tags(hosts);
  wanted search_asked := search_asked_for(asked, null, null, '{}');
  candidates record;
  ids tid[] := '{}';
begin
  total := 0;
  is_estimate := false;
  hits := '{}';
  if cardinality(hosts) = 0 then return; end if;
  if cardinality(wanted.words) > 0 then
    select * into candidates from search_holding_any(tags, wanted.words, 400, 200);
    ids := candidates.ids;
    is_estimate := candidates.is_cut;
    if cardinality(ids) < 200 then
      wanted.alike := search_words_like(wanted.words);
      select * into candidates from search_holding_any(tags, wanted.alike, 400, 1000000);
      ids := array(select unnest(ids) union select unnest(candidates.ids));
      is_estimate := is_estimate or candidates.is_cut;
    end if;
  end if;
  hits := array(
    select row(origin_table, origin_id, host_id, content, fts, content, 0, '{trigram}'::text[], title, original,
      updated_at)::search_hit
    from search_scored('{}', ids, hosts, wanted, threshold, 160, 0)
    where content >= threshold
    order by content desc, updated_at desc, origin_id);
  total := cardinality(hits);
  is_estimate := is_estimate or total >= 160;
  hits := hits[skip + 1 : skip + most];
end $$;

-- Records with such a phone, at most `most`.
create or replace function search_phone_ids(hosts uuid[], asked text, kind text, most integer) returns tid[]
  language plpgsql stable set enable_seqscan = off
as $$
begin
  return case kind
    when 'exact' then array(
      select ctid from search_records
      where host_id = any (hosts) and phone_key is not null and phone_key = phone_key(asked) limit most)
    when 'suffix' then array(
      select search_phones_ending(hosts, array(select distinct unnest(array[asked, phone_key(asked)])), most))
    else array(
      select ctid from search_records
      where phone is not null and (phone || ' ' || phone_key) like '%' || asked || '%' and host_id = any (hosts)
      limit most)
  end;
end $$;

create or replace function search_phones(asked text, kind text, most integer, skip integer,
  out total bigint, out is_estimate boolean, out hits search_hit[])
  language plpgsql stable security definer set plan_cache_mode = force_custom_plan set search_path = public, pg_temp
  set enable_seqscan = off
as $$
declare
  hosts constant uuid[] := coalesce(hosts_in_scope(), '{}');
  first_ids constant tid[] := search_phone_ids(hosts, asked, kind, 1000);
  ids tid[] := first_ids;
begin
  is_estimate := cardinality(first_ids) = 1000;
  total := case when is_estimate then search_estimate(first_ids) else cardinality(first_ids) end;
  if is_estimate and most + skip > 1000 then
    ids := array(select unnest(ids) union select unnest(search_phone_ids(hosts, asked, kind, 11000)));
  end if;
  hits := array(
    select row(origin_table, origin_id, host_id, likeness, 0, 0, likeness, '{phone}'::text[], title, original,
      updated_at)::search_hit
    from (
      select record.*, ctid as id,
        greatest(similarity(phone, asked), similarity(phone_key, phone_key(asked)))::float8 as likeness
      from search_records record where ctid = any (ids)
    ) scored
    order by id = any (first_ids) desc, likeness desc, updated_at desc, origin_id limit most offset skip);
end $$;
