-- What people ask for in the playground is asked for by a key like any other task: one for each
-- account and mode, whose digest is of bytes that nobody has kept. It is not listed among the keys,
-- does not expire, and cannot be revoked: closing the account is what ends it.
alter table api_keys add column playground boolean not null default false;
alter table api_keys add constraint api_keys_playground_stays
  check (not playground or (revoked_at is null and expires_at is null));
create unique index api_keys_one_playground on api_keys (account_id, mode) where playground;

-- How long the last tasks of one kind took: the newest 200 are read, however many there are.
create index tasks_completed_alike on tasks
  (mode, model, (generation ->> 'resolution'), (generation ->> 'duration'), id desc)
  where status = 'completed';
