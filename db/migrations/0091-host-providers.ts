import { auditedTable } from './audited-table.ts';

/** Providers of models that hosts pay for themselves, with their own keys. */
export const hostProviders = `
  create table host_providers (
    host_id uuid not null references hosts on delete cascade,
    -- Its models are named "name/model".
    name text not null check (name <> '' and position('/' in name) = 0),
    base_url text not null,
    -- Encrypted for this row.
    sealed_key text not null,
    -- It has them, whether it lists them or not; without the name of the provider.
    models text[] not null default '{}',
    -- Incremented by every edit. The audit shows a new key by it.
    revision integer not null default 1,
    created_at timestamptz(3) not null default clock_timestamp(),
    updated_at timestamptz not null default now(),
    primary key (host_id, name)
  );

  ${auditedTable('host_providers', { key: 'name', omitted: 'sealed_key' })}
`;
