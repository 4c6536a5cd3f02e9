-- Receives the webhooks of tasks whose create names no callback URL.
alter table accounts add column webhook_url text check (length(webhook_url) between 1 and 2048);
