/** How much the files of a host may have together, and which of them were named, and not kept. */
export const fileQuotas = `
  alter table hosts
    add column files_quota_mb integer not null default 10240 check (files_quota_mb between 1 and 10485760);
  alter table files add column kept boolean not null default true;
  -- The sum of a host is read from it alone.
  create index sizes_of_files on files (host_id, id) include (size) where kept;
`;
