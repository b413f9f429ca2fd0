/** What the triggers of deletions see has the name of its rows. The release replaces their functions in the same transaction. */
export const deletedRows = `
  create or replace trigger forget_gap_questions after delete on gap_questions referencing old table as deleted_question
    for each statement execute function forget_gap_questions();
  create or replace trigger forget_services after delete on services referencing old table as deleted_service
    for each statement execute function forget_services();
`;
