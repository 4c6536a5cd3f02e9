-- Rate windows. Rows name a key but do not reference it: they outlive nothing and are swept.

-- The exact window of creates: when each counted request was admitted, oldest first, in
-- microseconds since 1970 by this database's clock; at most as many as the limit. Half of each page
-- stays free so that an update finds room beside the row it replaces and touches no index.
create table create_windows (
  key_id text collate "C" primary key check (length(key_id) between 1 and 100),
  stamps bigint[] not null default '{}'
) with (fillfactor = 50);

-- What one process admitted of status queries since its round before: {"key_…": 12, …}. One row a
-- process a second while there is traffic; the other processes read it. A row that had to wait for
-- the database is told later than it was admitted.
create table status_rounds (
  process_id uuid not null,
  round bigint not null check (round > 0),
  admitted_at timestamptz not null,
  told_at timestamptz not null default clock_timestamp(),
  admitted jsonb not null check (jsonb_typeof(admitted) = 'object'),
  primary key (process_id, round)
);
create index status_rounds_told on status_rounds (told_at);
