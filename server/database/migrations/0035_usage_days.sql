-- Usage of whole days in UTC, so that a month of an account with a million tasks is read from a few
-- rows. A day is added after its tasks are final, and then never changes.
create table usage_days (
  account_id uuid not null references accounts (id),
  mode text not null check (mode in ('live', 'test')),
  day date not null,
  model text not null,
  resolution text not null,
  status text not null check (status in ('completed', 'failed')),
  key_id text collate "C" not null references api_keys (id),
  tasks integer not null check (tasks > 0),
  -- Charged ones.
  credits bigint not null check (credits >= 0),
  -- Of completed tasks, from creation to completion: percentiles of any period need all of them.
  seconds double precision[] not null,
  primary key (account_id, mode, day, model, resolution, status, key_id)
);

-- The days in `usage_days`: from midnight in UTC of `since` until that of `until`. One row.
create table usage_rollup (
  one boolean primary key default true check (one),
  since timestamptz not null,
  until timestamptz not null check (until >= since)
);
-- From the oldest task on. IDs sort by creation, apart from an hour in older releases.
insert into usage_rollup (since, until)
select first.day, first.day from (
  select date_trunc('day', coalesce((select created_at from tasks order by id limit 1), now())
    - interval '1 day', 'UTC') as day) first;
