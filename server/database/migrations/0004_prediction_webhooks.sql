-- Tasks of Replicate's format whose webhooks have its body. Not validated: every row met the
-- stricter check, and a scan of a large table would hold its lock.
alter table tasks drop constraint tasks_dialect_check,
  add constraint tasks_dialect_check check (dialect is null
    or dialect ->> 'name' in ('modelark', 'replicate')) not valid;
