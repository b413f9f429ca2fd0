/**
 * What the calls of models cost a host, and the most that they may cost. A call of a host with a budget first reserves the
 * most that it can cost. A call that has ended adds a delta, which replaces its reservation; deltas are added to the
 * spend of their local day later.
 */
export const budgets = `
  alter table hosts
    add column monthly_budget numeric check (monthly_budget >= 0),
    add column daily_budget numeric check (daily_budget >= 0);

  create table spend_reservations (
    host_id uuid not null references hosts on delete cascade,
    -- That of the call.
    id uuid not null,
    -- The turn that calls, and its attempt: a later one gets back what this one left behind.
    holder text,
    attempt integer,
    amount numeric not null,
    reserved_at timestamptz not null default clock_timestamp(),
    -- Later than the end of the call: a worker that died has left it behind.
    expires_at timestamptz not null,
    primary key (host_id, id)
  );

  -- Rows are inserted and deleted, never updated.
  create table spend_deltas (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null,
    -- The beginning of the call.
    at timestamptz not null,
    model text not null,
    -- Of turns; otherwise empty. No reference: the money is spent also where the avatar is deleted.
    avatar_id text not null,
    purpose text not null,
    tokens bigint not null,
    cost numeric not null,
    -- The part of the cost that the provider did not report.
    estimated_cost numeric not null,
    -- A call that is recorded twice meets its first row.
    recorded_at timestamptz not null default clock_timestamp(),
    primary key (host_id, id)
  ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
  create index on spend_deltas (recorded_at);

  -- By the local days of the host.
  create table spend_days (
    host_id uuid not null references hosts on delete cascade,
    day date not null,
    model text not null,
    avatar_id text not null,
    purpose text not null,
    calls bigint not null,
    tokens bigint not null,
    cost numeric not null,
    estimated_cost numeric not null,
    primary key (host_id, day, model, avatar_id, purpose)
  );

  -- The parts of a budget that were reached: each is an event once.
  create table budget_alerts (
    host_id uuid not null references hosts on delete cascade,
    period text not null check (period in ('day', 'month')),
    first_day date not null,
    percent integer not null,
    -- The budget: another one is told anew.
    amount numeric not null,
    primary key (host_id, period, first_day, percent, amount)
  );
`;
