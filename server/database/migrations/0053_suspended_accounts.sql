-- concurrently
-- The list of suspended accounts, without reading the others.
create index concurrently accounts_suspended on accounts (created_at, id)
  where suspended_at is not null;
