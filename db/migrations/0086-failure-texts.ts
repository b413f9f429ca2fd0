/** What a person gets where no model answers: nothing, or a text and a member of the staff. */
export const failureTexts = `
  alter table avatars
    add column on_failure text not null default 'error' check (on_failure in ('error', 'handoff')),
    -- Empty: a sentence of the service in the language of the avatar.
    add column failure_text text not null default '';
`;
