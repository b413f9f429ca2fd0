/** Which avatars have a question that finds little written anew by their model. */
export const rewrittenQuestions = `
  alter table avatars add column rewrite boolean not null default false;
`;
