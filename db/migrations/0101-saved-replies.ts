import { auditedTable } from './audited-table.ts';

/** Replies that staff members have prepared, for all of their host or for themselves. */
export const savedReplies = `
  create table saved_replies (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null default gen_random_uuid(),
    -- The person, or the token, that alone sees it; null where all of the host do.
    owner_id uuid,
    name text not null,
    text text not null,
    -- Incremented by every edit: the audit, which admins read, has no text that only its owner sees.
    revision integer not null default 1,
    created_at timestamptz(3) not null default clock_timestamp(),
    updated_at timestamptz not null default now(),
    primary key (host_id, id)
  );

  ${auditedTable('saved_replies', { omitted: 'text' })}
`;
