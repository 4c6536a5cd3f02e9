-- Which request made a task (what its answer carried as x-request-id), and for what people ask for
-- in the playground, who: null where a key asked, and for tasks from before.
alter table tasks add column request_id text;
alter table tasks add column created_by text;
