import { belongsToHost } from './belongs-to-host.ts';

export const flows = `
  create table flows (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null default gen_random_uuid(),
    avatar_id uuid not null,
    name text not null check (name <> ''),
    steps jsonb not null check (jsonb_typeof(steps) = 'array' and jsonb_array_length(steps) between 1 and 100),
    prompt_template_name text not null default '',
    model text not null default '',
    template_ref text,
    type text not null default 'custom',
    active boolean not null default true,
    deleted boolean not null default false,
    version integer not null default 1,
    -- The tokens that wrote first and last. Not references: what they wrote outlives them.
    created_by uuid,
    updated_by uuid,
    -- In milliseconds, as clients see and send it back; it grows with every save.
    created_at timestamptz(3) not null default clock_timestamp(),
    updated_at timestamptz(3) not null default clock_timestamp(),
    primary key (host_id, id),
    foreign key (host_id, avatar_id) references avatars on delete cascade
  );
  create index on flows (host_id, avatar_id, updated_at desc) where active and not deleted;
  ${belongsToHost('flows')}

  create table flow_versions (
    host_id uuid not null references hosts on delete cascade,
    flow_id uuid not null,
    version integer not null,
    -- The whole row as it was saved.
    flow jsonb not null,
    saved_by uuid,
    saved_at timestamptz(3) not null,
    primary key (host_id, flow_id, version),
    foreign key (host_id, flow_id) references flows on delete cascade
  );
  ${belongsToHost('flow_versions')}
`;
