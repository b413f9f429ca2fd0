/** Prompt, cached and answer tokens of what models cost. What was spent before has only their sum. */
export const tokenKinds = `
  alter table spend_deltas
    add column input_tokens bigint not null default 0,
    add column cached_tokens bigint not null default 0,
    add column output_tokens bigint not null default 0;

  alter table spend_days
    add column input_tokens bigint not null default 0,
    add column cached_tokens bigint not null default 0,
    add column output_tokens bigint not null default 0;
`;
