-- concurrently
-- The same for the task list of all accounts.
create index concurrently tasks_failed on tasks (failed_reason, id desc)
  where failed_reason is not null;
