/**
 * Prompt, cached and answer tokens of what models cost; what was spent before has only their sum. And the language in which an
 * avatar answers, a BCP 47 tag.
 */
export const tokenKindsAndLanguages = `
  alter table spend_deltas
    add column input_tokens bigint not null default 0,
    add column cached_tokens bigint not null default 0,
    add column output_tokens bigint not null default 0;

  alter table spend_days
    add column input_tokens bigint not null default 0,
    add column cached_tokens bigint not null default 0,
    add column output_tokens bigint not null default 0;

  alter table avatars add column language text not null default 'pt-BR';
`;
