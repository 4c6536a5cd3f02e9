-- The customer's own pairs, as they were sent; null for tasks without.
alter table tasks add column metadata jsonb;

-- One row per pair, so that a list filtered by a pair reads only its tasks, newest first. `pair` is
-- the beginning of a SHA-256: a pair can be longer than what an index holds well.
create table task_metadata (
  account_id uuid not null,
  mode text not null,
  pair bytea not null check (octet_length(pair) = 16),
  task_id text collate "C" not null references tasks (id),
  primary key (account_id, mode, pair, task_id)
);
