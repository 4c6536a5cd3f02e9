-- concurrently
-- By account, and by age within an account: both decide which job is woken first.
create index concurrently jobs_waiting on jobs (waits_for, account_id, task_id)
  where kind = 'submit' and waits_for is not null and not ready and lease_until is null;
