-- Due work. A row is claimed with a lease and a fence; the stage that ran it removes or moves it in
-- the transaction that writes the stage's outcome, so a job is never done twice and never
-- forgotten.
create table jobs (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('submit', 'poll', 'notify', 'expire')),
  -- Lanes do not wait for each other: calls to slow receivers leave the generating work alone.
  lane text not null check (lane in ('work', 'calls')),
  account_id uuid not null references accounts (id),
  task_id text not null references tasks (id),
  delivery_id text,
  run_at timestamptz not null default now(),
  -- Set when run_at has come, so that claiming looks only at rows that are due.
  ready boolean not null default true,
  lease_owner text,
  lease_until timestamptz,
  fence bigint not null default 0,
  attempts int not null default 0,
  -- Claims in a row that ended with the death of their worker.
  deaths int not null default 0,
  last_error text,
  created_at timestamptz not null default now(),
  check ((lease_owner is null) = (lease_until is null)),
  check ((kind = 'notify') = (delivery_id is not null))
) with (fillfactor = 70);
create index jobs_ready on jobs (lane, account_id, run_at, id) where ready and lease_until is null;
create index jobs_scheduled on jobs (run_at) where not ready and lease_until is null;
create index jobs_leased on jobs (lane, account_id) where lease_until is not null;
create index jobs_lease_end on jobs (lease_until) where lease_until is not null;
-- One piece of generating work a task, so that no two workers can be at it.
create unique index jobs_one_work on jobs (task_id) where kind in ('submit', 'poll');
create unique index jobs_one_expire on jobs (task_id) where kind = 'expire';
create unique index jobs_one_call on jobs (delivery_id) where kind = 'notify';
