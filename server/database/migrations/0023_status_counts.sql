-- How many tasks and deliveries have which status, for metrics. Every statement that changes one
-- adds a row with the difference, in its own transaction: no row is waited for, and a count is the
-- sum of a few rows, which a sweep adds up from time to time.
create table task_counts (
  id bigint generated always as identity primary key,
  status text not null,
  billing_status text not null,
  tasks bigint not null
);
create table delivery_counts (
  id bigint generated always as identity primary key,
  status text not null,
  deliveries bigint not null
);

create function count_tasks() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into task_counts (status, billing_status, tasks)
    select status, billing_status, count(*) from new_rows group by 1, 2;
  elsif tg_op = 'DELETE' then
    insert into task_counts (status, billing_status, tasks)
    select status, billing_status, -count(*) from old_rows group by 1, 2;
  else
    insert into task_counts (status, billing_status, tasks)
    select status, billing_status, sum(n) from (
      select status, billing_status, 1 as n from new_rows
      union all select status, billing_status, -1 from old_rows
    ) changed group by 1, 2 having sum(n) <> 0;
  end if;
  return null;
end $$;

create function count_deliveries() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into delivery_counts (status, deliveries)
    select status, count(*) from new_rows group by 1;
  elsif tg_op = 'DELETE' then
    insert into delivery_counts (status, deliveries)
    select status, -count(*) from old_rows group by 1;
  else
    insert into delivery_counts (status, deliveries)
    select status, sum(n) from (
      select status, 1 as n from new_rows union all select status, -1 from old_rows
    ) changed group by 1 having sum(n) <> 0;
  end if;
  return null;
end $$;

create trigger tasks_counted_insert after insert on tasks
  referencing new table as new_rows for each statement execute function count_tasks();
create trigger tasks_counted_update after update on tasks
  referencing old table as old_rows new table as new_rows
  for each statement execute function count_tasks();
create trigger tasks_counted_delete after delete on tasks
  referencing old table as old_rows for each statement execute function count_tasks();
create trigger deliveries_counted_insert after insert on deliveries
  referencing new table as new_rows for each statement execute function count_deliveries();
create trigger deliveries_counted_update after update on deliveries
  referencing old table as old_rows new table as new_rows
  for each statement execute function count_deliveries();
create trigger deliveries_counted_delete after delete on deliveries
  referencing old table as old_rows for each statement execute function count_deliveries();

-- The triggers above keep others from writing until this is committed.
insert into task_counts (status, billing_status, tasks)
  select status, billing_status, count(*) from tasks group by 1, 2;
insert into delivery_counts (status, deliveries)
  select status, count(*) from deliveries group by 1;
