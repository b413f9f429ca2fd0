/** What an import of a site could not read, as it is answered; null where it read all. */
export const incompleteImports = `
  alter table document_imports add column incomplete jsonb;
`;
