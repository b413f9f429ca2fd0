export const processMetrics = `
  -- What each process last counted. Lost in a crash, and counted anew within seconds.
  create unlogged table process_metrics (
    process text primary key,
    metrics json not null,
    counted_at timestamptz not null default now()
  );
`;
