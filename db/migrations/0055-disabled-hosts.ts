/** A disabled host keeps all that it has, and nothing is done for it. */
export const disabledHosts = `
  alter table hosts add column disabled boolean not null default false;
`;
