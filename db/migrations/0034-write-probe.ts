/** Empty: what is written is taken back. A row takes most of a page, so that it needs a new one. */
export const writeProbe = `
  create table write_probe (filler text not null);
  alter table write_probe alter column filler set storage plain;
`;
