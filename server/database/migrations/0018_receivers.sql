-- Calls of one account queue by receiver, so that one that hangs does not hold up the account's
-- others. 64 queues an account, by the digest of the receiver's host and port, because an account
-- can name as many receivers as it likes, and a claim looks at each queue; 0 is whatever calls
-- nobody, and calls of older releases.
alter table jobs add column receiver smallint not null default 0;
drop index jobs_ready;
create index jobs_ready on jobs (lane, account_id, receiver, run_at, id)
  where ready and lease_until is null;
drop index jobs_leased;
create index jobs_leased on jobs (lane, account_id, receiver) where lease_until is not null;
