-- A column that refers to an ID has the collation of the ID. PostgreSQL compares the two with the
-- collation "C" of the ID, and an index of the column with another collation cannot serve that.
-- Locks: tasks and idempotency_keys have no index and no check on these columns, so only the
-- catalog changes. The three unique indexes of jobs are rebuilt, about a second per million jobs.
-- ledger_entries.task_id stays as it is: its indexes and check would be rebuilt over all entries
-- while nothing can be booked. Statements that join it write `collate "default"` instead.
alter table jobs
  alter column task_id type text collate "C",
  alter column delivery_id type text collate "C";
alter table idempotency_keys alter column task_id type text collate "C";
alter table tasks alter column key_id type text collate "C";
