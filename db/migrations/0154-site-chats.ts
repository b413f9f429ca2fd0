import { auditedTable } from './audited-table.ts';

/** Chats on the sites of institutions, and how many questions came to each of late. */
export const siteChats = `
  create table site_chats (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null,
    avatar_id uuid not null,
    -- Stands in the pages of the site, so everybody knows it.
    public_key text not null unique,
    origins text[] not null,
    title text not null,
    greeting text not null,
    colour text not null,
    enabled boolean not null,
    show_sources boolean not null,
    visitor_questions_per_hour integer not null,
    address_questions_per_hour integer not null,
    questions_per_day integer not null,
    created_at timestamptz(3) not null default clock_timestamp(),
    updated_at timestamptz not null default now(),
    primary key (host_id, id),
    foreign key (host_id, avatar_id) references avatars on delete cascade
  );
  create index on site_chats (host_id, avatar_id);
  ${auditedTable('site_chats', {})}

  create table site_chat_counts (
    host_id uuid not null,
    chat_id uuid not null,
    -- A visitor or the network of an address, as a name that tells neither; or the whole chat.
    asker text not null,
    count integer not null,
    ends_at timestamptz not null,
    -- Of its last question: one that is sent again counts once.
    last_key text not null,
    primary key (host_id, chat_id, asker),
    foreign key (host_id, chat_id) references site_chats on delete cascade
  );
  create index on site_chat_counts (ends_at);
`;
