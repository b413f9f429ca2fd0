const searches = `
  create type search_hit as (
    origin_table text, origin_id uuid, host_id uuid, score float8, fts float8, content float8, phone float8,
    matched_by text[], title text, original text, updated_at timestamptz
  );

  create function search_fulltext(asked text, cpf text, most integer, skip integer, out total bigint,
    out is_estimate boolean, out hits search_hit[])
    language plpgsql stable security definer set plan_cache_mode = force_custom_plan set search_path from current
  as $$
  declare
    hosts constant uuid[] := coalesce(hosts_in_scope(), '{}');
    tags constant text[] := search_tags(hosts);
    any_word constant tsquery := any_word_query(concat_ws(' ', search_text(asked), cpf));
    words constant text[] := search_words_of(asked);
    wide constant integer := case when most + skip <= 200 then 400 else 12000 end;
    look record;
    by_cpf record;
    ids tid[] := '{}';
  begin
    total := 0;
    is_estimate := false;
    hits := '{}';
    if cardinality(hosts) = 0 then return; end if;
    if cardinality(words) > 0 then
      select * into look from search_holding(tags, words, wide, false);
      ids := look.ids;
      is_estimate := look.is_cut;
    end if;
    if cpf is not null then
      select * into by_cpf from search_holding(tags, array[cpf], wide, false);
      ids := array(select distinct unnest(ids || by_cpf.ids));
    end if;
    total := cardinality(ids);
    if is_estimate then total := greatest(total, look.total); end if;
    hits := array(
      select row(origin_table, origin_id, host_id, rank, rank, 0, 0, '{fts}'::text[], title, original,
        updated_at)::search_hit
      from (
        select record.*, ts_rank('{1,1,1,1}', vector, any_word, 32)::float8 as rank
        from search_records record where ctid = any (ids) and host_id = any (hosts)
      ) ranked
      order by rank desc, updated_at desc, origin_id limit most offset skip);
  end $$;

  create function search_hybrid(asked text, cpf text, digits text, endings text[], most integer, skip integer,
    out total bigint, out is_estimate boolean, out hits search_hit[])
    language plpgsql stable security definer set plan_cache_mode = force_custom_plan set search_path from current
  as $$
  declare
    hosts constant uuid[] := coalesce(hosts_in_scope(), '{}');
    tags constant text[] := search_tags(hosts);
    query constant text := search_text(asked);
    words constant text[] := search_words_of(concat_ws(' ', asked, cpf));
    wide constant integer := case when most + skip <= 200 then 400 else 12000 end;
    look record;
    alike text[];
    ids tid[] := '{}';
  begin
    total := 0;
    is_estimate := false;
    hits := '{}';
    if cardinality(hosts) = 0 then return; end if;
    if cardinality(words) > 0 then
      select * into look from search_holding_any(tags, words, wide, greatest(200, most + skip));
      ids := look.ids;
      is_estimate := look.is_cut;
    end if;
    if cardinality(endings) > 0 then
      ids := array(select distinct unnest(ids || array(select search_phones_ending(hosts, endings, wide))));
    end if;
    if cardinality(ids) < most + skip then
      alike := search_words_like(words);
      if cardinality(alike) > 0 then
        select * into look from search_holding_any(tags, alike, wide, 1000000);
        ids := array(select distinct unnest(ids || look.ids));
        is_estimate := is_estimate or look.is_cut;
      end if;
    end if;
    hits := array(
      select hit from search_scored(ids, hosts, query, any_word_query(concat_ws(' ', query, cpf)),
        all_words_query(query), digits, endings, 0.3, most, skip) hit);
    total := cardinality(ids);
    if is_estimate then total := greatest(total, search_estimate(ids)); end if;
  end $$;

  create function search_similar(asked text, threshold float8, most integer, skip integer,
    out total bigint, out is_estimate boolean, out hits search_hit[])
    language plpgsql stable security definer set plan_cache_mode = force_custom_plan set search_path from current
  as $$
  declare
    hosts constant uuid[] := coalesce(hosts_in_scope(), '{}');
    tags constant text[] := search_tags(hosts);
    query constant text := search_text(asked);
    words constant text[] := search_words_of(asked);
    look record;
    ids tid[] := '{}';
  begin
    total := 0;
    is_estimate := false;
    hits := '{}';
    if cardinality(hosts) = 0 then return; end if;
    if cardinality(words) > 0 then
      select * into look from search_holding_any(tags, words, 500, 200);
      ids := look.ids;
      is_estimate := look.is_cut;
      if cardinality(ids) < 200 then
        select * into look from search_holding_any(tags, search_words_like(words), 500, 1000000);
        ids := array(select distinct unnest(ids || look.ids));
        is_estimate := is_estimate or look.is_cut;
      end if;
    end if;
    hits := array(
      select row(origin_table, origin_id, host_id, content, fts, content, 0, '{trigram}'::text[], title, original,
        updated_at)::search_hit
      from search_scored(ids, hosts, query, any_word_query(query), all_words_query(query), null, '{}', threshold,
        150, 0)
      where content >= threshold
      order by content desc, updated_at desc, origin_id);
    total := cardinality(hits);
    is_estimate := is_estimate or total >= 150;
    hits := hits[skip + 1 : skip + most];
  end $$;

  create function search_phones(asked text, kind text, most integer, skip integer,
    out total bigint, out is_estimate boolean, out hits search_hit[])
    language plpgsql stable security definer set plan_cache_mode = force_custom_plan set search_path from current
    set enable_seqscan = off
  as $$
  declare
    hosts constant uuid[] := coalesce(hosts_in_scope(), '{}');
    wide constant integer := greatest(1000, most + skip);
    endings constant text[] := array(select distinct unnest(array[asked, phone_key(asked)]));
    ids tid[];
  begin
    if kind = 'exact' then
      ids := array(
        select ctid from search_records
        where host_id = any (hosts) and phone_key is not null and phone_key = phone_key(asked) limit wide + 1);
    elsif kind = 'suffix' then
      ids := array(select search_phones_ending(hosts, endings, wide + 1));
    else
      ids := array(
        select ctid from search_records
        where phone is not null and (phone || ' ' || phone_key) like '%' || asked || '%' and host_id = any (hosts)
        limit wide + 1);
    end if;
    total := cardinality(ids);
    is_estimate := total > wide;
    hits := array(
      select row(origin_table, origin_id, host_id, same, 0, 0, same, '{phone}'::text[], title, original,
        updated_at)::search_hit
      from (
        select record.*, greatest(similarity(phone, asked), similarity(phone_key, phone_key(asked)))::float8 as same
        from search_records record where ctid = any (ids)
      ) scored
      order by same desc, updated_at desc, origin_id limit most offset skip);
  end $$;
`;

const callable = [
  'search_fulltext(text, text, integer, integer)',
  'search_hybrid(text, text, text, text[], integer, integer)',
  'search_similar(text, float8, integer, integer)',
  'search_phones(text, text, integer, integer)',
];

export const searchFunctions = `${searches}
  ${callable
    .map(
      name =>
        `revoke execute on function ${name} from public; grant execute on function ${name} to parley_app;`,
    )
    .join('\n')}
`;
