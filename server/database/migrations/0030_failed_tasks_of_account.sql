-- concurrently
-- An account whose tasks rarely fail finds the failed ones without reading the others.
create index concurrently tasks_failed_of_account on tasks (account_id, failed_reason, id desc)
  where failed_reason is not null;
