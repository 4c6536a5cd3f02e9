-- Creates without an idempotency key whose repetition would be recognized: those that came with a
-- retry mark, and those whose response was not received. Kept for a few minutes.
create table recent_creates (
  task_id text collate "C" primary key references tasks (id),
  key_id text collate "C" not null,
  request_digest text not null,
  -- The highest retry mark that this task was the response to.
  retry_count int not null default 0 check (retry_count >= 0),
  -- Null if the response was received, as far as is known.
  undelivered_at timestamptz,
  created_at timestamptz not null default now()
);
create index recent_creates_by_request on recent_creates (key_id, request_digest);
create index recent_creates_undelivered on recent_creates (undelivered_at)
  where undelivered_at is not null;
