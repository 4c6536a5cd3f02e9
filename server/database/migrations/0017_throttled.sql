-- A provider that was only busy is not one that refused: it may be asked again.
alter table attempts drop constraint attempts_outcome_check;
alter table attempts add constraint attempts_outcome_check check (outcome in
  ('throttled', 'refused', 'completed', 'failed', 'lost', 'cancelled', 'timed_out', 'abandoned'));
