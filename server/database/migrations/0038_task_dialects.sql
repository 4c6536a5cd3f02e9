-- The API of another vendor that a task was created through: callbacks have its shape, and reads
-- show what only its clients sent. Null for our own API.
alter table tasks add column dialect jsonb;
alter table tasks add constraint tasks_dialect_check
  check (dialect is null or dialect ->> 'name' = 'modelark') not valid;
