/** How many struck-through texts an import left out, as it is answered. */
export const struckTexts = `
  alter table document_imports add column struck integer not null default 0;
`;
