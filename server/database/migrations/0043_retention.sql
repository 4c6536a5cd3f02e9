-- How many days an account keeps what it sent and received, where it differs from the
-- installation: prompts, deliveries, tasks, files. 0 keeps it.
alter table accounts add column retention jsonb
  check (retention is null or jsonb_typeof(retention) = 'object');

-- Up to which ID the oldest rows of an account have been gone through, so that they are read once.
create table retention_positions (
  account_id uuid not null references accounts (id),
  part text not null check (part in ('prompts live', 'prompts test', 'deliveries')),
  position text collate "C" not null default '',
  primary key (account_id, part)
);
