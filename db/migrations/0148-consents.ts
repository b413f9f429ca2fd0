/** What people consented to, and withdrew. Each word stays as it was said, as evidence; the newest of a version counts. */
export const consents = `
  create table consents (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null default gen_random_uuid(),
    -- One of the two, or both: a conversation may get its contact later.
    contact_id uuid,
    conversation_id uuid,
    -- Of the text that the person was shown.
    version text not null,
    text_digest text not null,
    -- Where it was said.
    channel text not null,
    withdrawn boolean not null,
    said_at timestamptz(3) not null,
    created_at timestamptz not null default clock_timestamp(),
    primary key (host_id, id),
    foreign key (host_id, contact_id) references contacts on delete cascade,
    foreign key (host_id, conversation_id) references conversations on delete set null (conversation_id)
  );
  create index on consents (host_id, contact_id) where contact_id is not null;
  create index on consents (host_id, conversation_id) where conversation_id is not null;
`;
