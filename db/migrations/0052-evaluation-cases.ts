import { auditedTable } from './audited-table.ts';

/** Questions of an avatar with what their answers must have: a change of the assistant may be tried with them first. */
export const evaluationCases = `
  create table evaluation_cases (
    host_id uuid not null references hosts on delete cascade,
    avatar_id uuid not null,
    -- As callers sent them, in their order.
    cases jsonb not null check (jsonb_typeof(cases) = 'array' and cases <> '[]'),
    updated_at timestamptz not null default now(),
    primary key (host_id, avatar_id),
    foreign key (host_id, avatar_id) references avatars on delete cascade
  );
  ${auditedTable('evaluation_cases', { key: 'avatar_id' })}
`;
