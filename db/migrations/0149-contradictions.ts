import { declareTriggerFunctions } from './declare-trigger-functions.ts';

/** Passages that contradict each other, and the passages of which it is not known yet. */
export const contradictions = `
  create table contradiction_checks (
    host_id uuid not null references hosts on delete cascade,
    chunk_id uuid not null,
    due_at timestamptz not null,
    primary key (host_id, chunk_id)
  );
  create index on contradiction_checks (due_at);

  create table contradictions (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null default gen_random_uuid(),
    kind text not null,
    chunk_id uuid not null,
    other_chunk_id uuid not null,
    -- For each of the two: the sentence, and what differs in it.
    places jsonb not null,
    pairs integer not null,
    -- Of both texts: what was dismissed stays so while they do, whatever ids they have.
    texts_hash text not null,
    state text not null default 'open' check (state in ('open', 'dismissed', 'resolved')),
    found_at timestamptz not null default now(),
    decided_at timestamptz,
    decided_by text,
    primary key (host_id, id),
    unique (host_id, texts_hash),
    foreign key (host_id, chunk_id) references chunks on delete cascade,
    foreign key (host_id, other_chunk_id) references chunks on delete cascade
  );
  create index on contradictions (host_id, found_at, id) where state = 'open';
  create index on contradictions (host_id, chunk_id);
  create index on contradictions (host_id, other_chunk_id);

  ${declareTriggerFunctions('check_contradictions')}
  create trigger check_new after insert on chunks
    referencing new table as written for each statement execute function check_contradictions();
  create trigger check_changed after update on chunks
    referencing new table as written for each statement execute function check_contradictions();
`;
