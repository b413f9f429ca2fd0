/** Personal identifiers in what leaves for models, embedders and MCP servers. */
export const masking = `
  alter table hosts add column mask boolean not null default false;
  -- The values that the tokens of the conversation stand for, in the order of their numbers.
  alter table conversations add column masked_values jsonb not null default '[]';
  -- Its tools get the values and not their tokens.
  alter table mcp_configs add column unmasked boolean not null default false;
`;
