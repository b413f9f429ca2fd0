import { auditedTable } from './audited-table.ts';

/** Teams of a host, to which conversations are handed over, and how its staff label and close conversations. */

/** The same expression as in the lists. */
const newestAt = `(case when last_message_at is null then created_at else last_message_at end)`;

export const teams = `
  create table teams (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null default gen_random_uuid(),
    name text not null,
    -- By it the model chooses.
    description text not null,
    person_ids uuid[] not null,
    deleted boolean not null default false,
    created_at timestamptz(3) not null default clock_timestamp(),
    updated_at timestamptz not null default now(),
    primary key (host_id, id)
  );
  create unique index teams_name on teams (host_id, lower(name)) where not deleted;
  ${auditedTable('teams', {})}

  alter table hosts add column labels text[] not null default '{}',
    add column close_reasons text[] not null default '{}',
    -- Null: what a team was given stays with whom it was passed to.
    add column reassign_after_minutes integer check (reassign_after_minutes between 5 and 10080);

  alter table conversations
    -- No reference: figures of a team that was deleted stay.
    add column team_id uuid,
    add column labels text[] not null default '{}',
    -- Why it was closed last, and when: they stay when it is opened again, for reports.
    add column close_reason text,
    add column closed_at timestamptz,
    -- Since when those who handle it have not written; null once they have.
    add column untaken_since timestamptz;
  create index conversations_of_teams on conversations (host_id, team_id, ${newestAt}, id) where team_id is not null;
  create index conversations_labelled on conversations (host_id, ${newestAt}, id) where labels <> '{}';
  create index conversations_of_requests on conversations (host_id, help_asked_at) where help_asked_at is not null;
  create index conversations_closed_for on conversations (host_id, closed_at) where close_reason is not null;
  create index conversations_untaken on conversations (untaken_since) where untaken_since is not null and team_id is not null;
`;
