-- concurrently
-- Instead of `jobs_waiting`. With `not ready`, the index of scheduled jobs would serve the same
-- queries, and without statistics of the table PostgreSQL reads every scheduled job for each wake.
create index concurrently jobs_to_wake on jobs (waits_for, account_id, task_id)
  where (kind = 'submit' and waits_for is not null and ready is not true and lease_until is null);
drop index if exists jobs_waiting;
