/** The models that are asked, in their order, when the model of a turn fails; empty: those of the installation. */
export const modelFallbacks = `
  alter table hosts add column model_fallbacks text[] not null default '{}' check (cardinality(model_fallbacks) <= 10);
`;
