-- The headers of a webhook that differ with each attempt, as sent: its time and signature. Null for
-- attempts before, and where nothing was sent.
alter table call_attempts add column signed_headers jsonb;
