import { declareTriggerFunctions } from './declare-trigger-functions.ts';

export const repliesAndProcesses = `
  create table replies (
    host_id uuid not null references hosts on delete cascade,
    job_id text not null check (job_id <> ''),
    operation text not null,
    key text,
    body_hash text,
    code integer not null,
    kept boolean not null,
    -- Not jsonb: a reply that is sent twice is the same to the letter.
    outcome json not null,
    expires_at timestamptz not null,
    created_at timestamptz not null default now(),
    -- The row that a cached reply describes.
    about uuid,
    -- The other hosts whose data it may contain: only a token with all of them reads it.
    also_hosts uuid[] not null default '{}',
    primary key (host_id, job_id)
  );
  create index on replies (expires_at);
  create index on replies (host_id, about) where about is not null;

  -- A cached reply is deleted with each write to the row that it describes, whoever writes. The trigger runs when the writer
  -- has the row, so a reader that held it has committed what it stored.
  ${declareTriggerFunctions('drop_cached_replies')}
  create trigger drop_cached_replies after update or delete on avatars
    for each row execute function drop_cached_replies();
  create trigger drop_cached_replies after update or delete on conversations
    for each row execute function drop_cached_replies();

  -- Metrics of each process. Unlogged: after a crash they are counted again within seconds.
  create unlogged table process_metrics (
    process text primary key,
    metrics json not null,
    counted_at timestamptz not null default now()
  );

  -- The version of each file of db/functions that was applied last.
  create table function_files (name text primary key, hash text not null);

  -- Empty: each write is rolled back. A row takes most of a page, so that it needs a new one.
  create table write_probe (filler text not null);
  alter table write_probe alter column filler set storage plain;
`;
