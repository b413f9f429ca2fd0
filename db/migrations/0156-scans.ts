/** Pages of PDFs whose text is in pictures: whether a model reads them, what it read, and which nobody has read. */
export const scans = `
  alter table documents add column read_scans boolean not null default false, add column scans jsonb;
  alter table document_imports add column scans jsonb;

  -- Written page by page, so that an import that begins again pays for none twice.
  create table scanned_pages (
    host_id uuid not null references hosts on delete cascade,
    document_id uuid not null,
    page integer not null,
    -- SHA-256 of the picture that the model saw.
    hash text not null,
    text text not null,
    -- Whether the passages of the document are of it.
    stored boolean not null default false,
    primary key (host_id, document_id, page, hash),
    foreign key (host_id, document_id) references documents on delete cascade
  );
`;
