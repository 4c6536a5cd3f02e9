-- Since when somebody has been stopping an attempt at its provider. Kept before the provider is
-- asked: a look that finds it stopped, or whoever comes after a crash, knows by whom.
alter table attempts add column stop_asked_at timestamptz;
