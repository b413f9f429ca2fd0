import { auditedTable } from './audited-table.ts';

/**
 * What happened at a host, for the receivers that its webhooks name. An event and its deliveries are written in the
 * transaction of their cause; they are the truth, and the jobs of the queue only the way.
 */
export const events = `
  create table webhooks (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null,
    name text not null check (name <> ''),
    url text not null,
    -- Scheme, host name and port of the URL: callbacks may go there, too.
    origin text not null,
    -- The types of events that it wants.
    events text[] not null,
    enabled boolean not null default true,
    -- [{sealed, until}], the newest first; encrypted for this row. Without "until" it is the current one.
    secrets jsonb not null check (jsonb_typeof(secrets) = 'array'),
    created_at timestamptz(3) not null default clock_timestamp(),
    updated_at timestamptz not null default now(),
    primary key (host_id, id)
  );

  -- Of webhooks whose last attempts failed.
  create table webhook_lanes (
    host_id uuid not null,
    webhook_id uuid not null,
    -- In a row.
    failures integer not null check (failures > 0),
    paused_until timestamptz not null,
    primary key (host_id, webhook_id),
    foreign key (host_id, webhook_id) references webhooks on delete cascade
  );

  create table events (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null,
    type text not null,
    -- Not jsonb: what is sent twice is the same to the letter.
    data json not null,
    -- What it is about, so that it is erased with it.
    conversation_id uuid,
    intake_record_id uuid,
    created_at timestamptz(3) not null default clock_timestamp(),
    primary key (host_id, id)
  );
  create index on events (created_at);
  create index on events (host_id, conversation_id) where conversation_id is not null;

  create table deliveries (
    host_id uuid not null,
    id uuid not null default gen_random_uuid(),
    event_id uuid not null,
    -- No reference: it would lock the webhook in the transaction of each cause.
    webhook_id uuid not null,
    -- Of a callback; otherwise the webhook has it.
    url text,
    state text not null default 'pending' check (state in ('pending', 'delivered', 'dead')),
    attempts integer not null default 0,
    -- When it is due; of one that is claimed, when its claim expires.
    due_at timestamptz not null default clock_timestamp(),
    is_claimed boolean not null default false,
    -- Incremented by every claim: a stale attempt stores no result.
    claim integer not null default 0,
    last_status integer,
    last_error text,
    -- When its schedule began: at its creation, or at its replay.
    scheduled_at timestamptz not null default clock_timestamp(),
    created_at timestamptz(3) not null default clock_timestamp(),
    delivered_at timestamptz(3),
    primary key (host_id, id),
    foreign key (host_id, event_id) references events on delete cascade
  );
  create index on deliveries (host_id, event_id);
  create index on deliveries (host_id, created_at, id);
  create index deliveries_pending on deliveries (host_id, webhook_id, due_at) where state = 'pending';
  create index deliveries_claimed on deliveries (host_id, webhook_id) where is_claimed;

  ${auditedTable('webhooks', { omitted: 'origin,secrets' })}
`;
