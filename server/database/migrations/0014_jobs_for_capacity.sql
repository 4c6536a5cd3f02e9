-- concurrently
-- Instead of `jobs_to_wake`. With `kind = 'submit'`, the index of open tasks would serve the same
-- queries, and with statistics of a time when no job waited PostgreSQL reads every open task for
-- each account of a wake.
create index concurrently jobs_for_capacity on jobs (waits_for, account_id, task_id)
  where (kind <> 'poll' and waits_for is not null and ready is not true and lease_until is null);
drop index if exists jobs_to_wake;
