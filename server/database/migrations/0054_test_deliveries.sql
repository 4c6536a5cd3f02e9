-- concurrently
-- Accounts have few test deliveries among many live ones.
create index concurrently deliveries_test on deliveries (account_id, id desc) where mode = 'test';
