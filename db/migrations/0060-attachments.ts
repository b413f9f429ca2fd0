/**
 * What is attached to a turn: a recording, a picture or a file. It is kept from the request until the turn has ended. And which
 * avatars want their answers spoken, and which hosts that mask let pictures go to a model.
 */
export const attachments = `
  create table turn_attachments (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null default gen_random_uuid(),
    -- No reference: the turn may open it.
    conversation_id uuid not null,
    -- Null for an address, and after the turn.
    content bytea,
    -- The words of a recording: they are paid for once.
    transcript text,
    created_at timestamptz not null default now(),
    primary key (host_id, id)
  );
  -- Recordings and pictures are compressed already.
  alter table turn_attachments alter column content set storage external;
  create index on turn_attachments (created_at);
  create index on turn_attachments (host_id, conversation_id);

  alter table avatars add column answer_in_audio boolean not null default false;
  alter table hosts add column mask_images text not null default 'refuse' check (mask_images in ('refuse', 'allow'));
`;
