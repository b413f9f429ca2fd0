/** What an answer stands on: the passages of its sentences, and its figures that stand nowhere. */
export const checkedAnswers = `
  alter table avatars add column on_unsupported text not null default 'pass'
    check (on_unsupported in ('pass', 'handoff', 'withhold'));
  alter table messages
    -- Of answers, as the response has them; null where nothing was found, or retention erased the text.
    add column sources jsonb,
    add column unsupported jsonb;
`;
