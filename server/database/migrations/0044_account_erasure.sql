-- An account is erased in slices: begun in one commit, finished when nothing of it is left but its
-- ledger and usage.
alter table accounts add column erasure_started_at timestamptz, add column erased_at timestamptz;
alter table accounts add constraint accounts_erasure_check check (
  (erased_at is null or erasure_started_at is not null)
  and (erasure_started_at is null or closed_at is not null)) not valid;
