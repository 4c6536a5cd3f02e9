-- Reads all tasks; blocks neither reads nor writes.
alter table tasks validate constraint tasks_key_fkey;
