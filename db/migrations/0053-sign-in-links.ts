/** Links to the console that are exchanged, once, for a token. */
export const signInLinks = `
  create table sign_in_links (
    hash bytea primary key check (octet_length(hash) = 32),
    -- Nobody knows its text until the exchange, which sets its hash.
    token_id uuid not null unique references tokens on delete cascade,
    expires_at timestamptz not null
  );
  create index on sign_in_links (expires_at);
`;
