-- How far the last sound check of the invariants came in tables that only grow.
create table audit_checkpoints (
  walk text primary key check (length(walk) between 1 and 100),
  position text not null,
  checked_at timestamptz not null default now()
);
