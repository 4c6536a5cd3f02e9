-- The processes on this database, what each of them can do, and when it last said so. A task whose
-- provider one process does not know is left to one that does, and processes that would store
-- results in different places do not start.
create table processes (
  id uuid primary key,
  role text not null check (role in ('all', 'api', 'worker')),
  providers text[] not null,
  routes jsonb not null check (jsonb_typeof(routes) = 'object'),
  storage_id text,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
);
