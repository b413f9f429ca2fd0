/** Which avatars quote their knowledge, and ask no model. */
export const answerModes = `
  alter table avatars add column answer_mode text not null default 'model' check (answer_mode in ('model', 'quote'));
`;
