/**
 * Messages that a person sends in a row. `bursts` says what their turns do: each is answered, or the last one for all.
 */
export const bursts = `
  alter table hosts add column bursts text not null default 'each' check (bursts in ('each', 'last'));
  alter table turns
    -- Its question supersedes the turns before it.
    add column burst_last boolean not null default false,
    -- It has run an agent or a tool that may have acted.
    add column has_acted boolean not null default false,
    -- The newer turn that ended this one, which is unanswered and never runs again.
    add column superseded_by text,
    -- The newest turn that has read the question of this one, which is unanswered.
    add column answered_with text,
    -- The Idempotency-Key of its request and the digest of the body: its reply may be stored by the newer turn.
    add column reply_key text,
    add column reply_mac text;
`;
