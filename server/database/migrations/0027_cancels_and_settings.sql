-- Cancellation was requested at a process whose configuration lacks the provider; the next worker
-- that has it asks the provider.
alter table attempts add column stop_wanted boolean not null default false;

-- A provider can refuse a request because its settings contradict the prompt. Not validated, which
-- would read the whole table under a lock: every row satisfied the narrower check before.
alter table tasks drop constraint tasks_refused_part_check;
alter table tasks add constraint tasks_refused_part_check
  check (refused_part in ('prompt', 'material', 'input', 'output', 'settings')) not valid;
