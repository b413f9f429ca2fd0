import { auditedTable } from './audited-table.ts';

/** Answers that staff approved: who asks one of their questions is told the text as it is. */
export const approvedAnswers = `
  create table approved_answers (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null,
    avatar_ids uuid[] not null,
    questions text[] not null,
    -- What each question asks, as it is read by this version of the reader.
    asked_keys text[] not null,
    reader smallint not null,
    answer text not null,
    dataset_id uuid,
    -- Null: it has no end.
    expires timestamptz(3),
    enabled boolean not null,
    deleted boolean not null default false,
    created_at timestamptz(3) not null default clock_timestamp(),
    updated_at timestamptz(3) not null default now(),
    primary key (host_id, id)
  );
  create index approved_answers_given on approved_answers (host_id) where enabled and not deleted;
  ${auditedTable('approved_answers', { omitted: 'asked_keys,reader' })}
`;
