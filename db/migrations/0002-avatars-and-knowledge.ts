import { belongsToHost } from './belongs-to-host.ts';

export const avatarsAndKnowledge = `
  create table avatars (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null default gen_random_uuid(),
    sub_slug text not null check (sub_slug ~ '^[a-z0-9][a-z0-9-]{1,62}$'),
    name text not null check (name <> ''),
    picture text not null default '',
    prompt_envelop text not null default '',
    model text,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (host_id, id),
    unique (host_id, sub_slug)
  );
  ${belongsToHost('avatars')}

  create table datasets (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null default gen_random_uuid(),
    name text not null check (name <> ''),
    type text not null default 'common_rag' check (type in ('common_rag', 'filtered_rag')),
    visible boolean not null default true,
    deleted boolean not null default false,
    expires timestamptz not null default '2100-01-01 00:00Z',
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (host_id, id)
  );
  ${belongsToHost('datasets')}

  create table dataset_avatars (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null default gen_random_uuid(),
    dataset_id uuid not null,
    avatar_id uuid not null,
    visible boolean not null default true,
    deleted boolean not null default false,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (host_id, id),
    unique (host_id, avatar_id, dataset_id),
    foreign key (host_id, dataset_id) references datasets on delete cascade,
    foreign key (host_id, avatar_id) references avatars on delete cascade
  );
  create index on dataset_avatars (host_id, dataset_id);
  ${belongsToHost('dataset_avatars')}

  create table chunks (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null default gen_random_uuid(),
    dataset_id uuid not null,
    content text not null,
    token_count integer not null check (token_count >= 0),
    -- The token that wrote last. Not a reference: what it wrote outlives it.
    written_by uuid,
    written_by_name text,
    deleted boolean not null default false,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (host_id, id),
    foreign key (host_id, dataset_id) references datasets on delete cascade
  );
  create index on chunks (host_id, dataset_id) where not deleted;
  ${belongsToHost('chunks')}
`;
