/** The last try of a REST tool by hand, which the audit notes; and the turns that called one. */
export const restToolTries = `
  alter table rest_tools add column last_try jsonb;
  create index turns_with_rest_calls on turns (host_id, finished_at)
    where receipt ->> 'outsideCalls' like '%"rest:%';
`;
