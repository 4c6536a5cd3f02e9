-- concurrently
-- The list of closed accounts, without reading the others.
create index concurrently accounts_closed on accounts (created_at, id) where closed_at is not null;
