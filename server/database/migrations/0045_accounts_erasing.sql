-- concurrently
create index concurrently accounts_erasing on accounts (id)
  where erasure_started_at is not null and erased_at is null;
