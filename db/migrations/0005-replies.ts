import { belongsToHost } from './belongs-to-host.ts';

export const replies = `
  create table replies (
    host_id uuid not null references hosts on delete cascade,
    job_id text not null check (job_id <> ''),
    operation text not null,
    key text,
    body_hash text,
    code integer not null,
    kept boolean not null,
    -- Not jsonb: a reply told twice is the same to the letter.
    outcome json not null,
    expires_at timestamptz not null,
    created_at timestamptz not null default now(),
    primary key (host_id, job_id)
  );
  create index on replies (expires_at);
  ${belongsToHost('replies')}
`;
