/** A passage may contradict an approved answer, too; whoever writes one has it compared. */
export const contradictedAnswers = `
  alter table contradictions alter column other_chunk_id drop not null, add column approved_id uuid,
    add foreign key (host_id, approved_id) references approved_answers on delete cascade,
    add check (num_nonnulls(other_chunk_id, approved_id) = 1);
  create index on contradictions (host_id, approved_id) where approved_id is not null;

  create trigger check_new after insert on approved_answers
    referencing new table as written for each statement execute function check_contradictions();
  create trigger check_changed after update on approved_answers
    referencing new table as written for each statement execute function check_contradictions();
  insert into contradiction_checks
    select host_id, id, now() from approved_answers where not deleted on conflict do nothing;
`;
