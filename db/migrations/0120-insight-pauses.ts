/** A host whose model gave no insight asks for none until a time; each failure in a row makes the next pause longer. */
export const insightPauses = `
  create table insight_pauses (
    host_id uuid primary key references hosts on delete cascade,
    failures smallint not null,
    paused_until timestamptz not null
  );
`;
