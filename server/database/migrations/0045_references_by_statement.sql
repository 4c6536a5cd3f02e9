-- References that every create proves, checked once per statement instead of once per row: the four
-- took a quarter of the database's time for a create. What they refer to is never deleted and never
-- gets another key, which triggers enforce now, so that no row has to be locked for the check. Each
-- check is a scalar subquery without sequential scans, which runs by an index at any table size.

-- Names the reference like the foreign key did, with the same SQLSTATE.
create function refuse_reference(constraint_name text, value text) returns void
  language plpgsql as $$
begin
  raise exception '% refers to nothing: %', constraint_name, value
    using errcode = 'foreign_key_violation', constraint = constraint_name;
end $$;

create function refuse_delete() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % are kept', tg_table_name using errcode = 'restrict_violation';
end $$;

create function refuse_other_key() returns trigger language plpgsql as $$
begin
  raise exception 'a row of % keeps its key', tg_table_name using errcode = 'restrict_violation';
end $$;

create trigger api_keys_kept before delete or truncate on api_keys
  for each statement execute function refuse_delete();
create trigger api_keys_identity_kept before update of id, account_id, mode on api_keys
  for each row when ((old.id, old.account_id, old.mode) is distinct from
    (new.id, new.account_id, new.mode)) execute function refuse_other_key();
create trigger balances_kept before delete or truncate on balances
  for each statement execute function refuse_delete();
create trigger balances_key_kept before update of account_id, mode on balances
  for each row when ((old.account_id, old.mode) is distinct from (new.account_id, new.mode))
  execute function refuse_other_key();
create trigger tasks_kept before delete or truncate on tasks
  for each statement execute function refuse_delete();
-- The other columns that a task was created with are kept by `tasks_move`.
create trigger tasks_key_kept before update of key_id on tasks
  for each row when (old.key_id is distinct from new.key_id) execute function refuse_other_key();
create trigger jobs_task_kept before update of task_id on jobs
  for each row when (old.task_id is distinct from new.task_id) execute function refuse_other_key();

-- A task belongs to a key of its account and mode.
create function require_keys() returns trigger language plpgsql
  set enable_seqscan = off as $$
declare
  orphan text;
begin
  select n.id into orphan from new_rows n
  where (
    select true from api_keys k
    where k.id = n.key_id and k.account_id = n.account_id and k.mode = n.mode) is null
  limit 1;
  if found then perform refuse_reference('tasks_key_fkey', orphan); end if;
  return null;
end $$;
create trigger tasks_of_keys after insert on tasks referencing new table as new_rows
  for each statement execute function require_keys();
alter table tasks drop constraint tasks_key_fkey;

-- A job belongs to a task.
create function require_tasks() returns trigger language plpgsql
  set enable_seqscan = off as $$
declare
  orphan text;
begin
  select n.task_id into orphan from new_rows n
  where (select true from tasks t where t.id = n.task_id) is null
  limit 1;
  if found then perform refuse_reference('jobs_task_id_fkey', orphan); end if;
  return null;
end $$;
create trigger jobs_of_tasks after insert on jobs referencing new table as new_rows
  for each statement execute function require_tasks();
alter table jobs drop constraint jobs_task_id_fkey;

-- An entry belongs to a balance, and only a settlement to one of a closed account.
create or replace function refuse_closed_accounts() returns trigger language plpgsql
  set enable_seqscan = off as $$
declare
  entry record;
begin
  select account_id, closed into entry from (
    select n.account_id, n.kind, (
      select b.closed from balances b where b.account_id = n.account_id and b.mode = n.mode
    ) as closed
    from new_rows n offset 0) checked
  where closed is null or (closed and kind in ('grant', 'reserve', 'refund'))
  limit 1;
  if not found then return null; end if;
  if entry.closed is null then
    perform refuse_reference('ledger_entries_account_id_mode_fkey', entry.account_id::text);
  end if;
  raise exception 'account % is closed', entry.account_id using errcode = 'VG002';
end $$;
alter table ledger_entries drop constraint ledger_entries_account_id_mode_fkey;

-- A balance stands in its last entry, figure by figure. Entries are append-only.
create function require_last_entries() returns trigger language plpgsql
  set enable_seqscan = off as $$
declare
  wrong uuid;
begin
  select n.account_id into wrong from new_rows n
  where n.last_entry is not null and (
    select true from ledger_entries e
    where e.account_id = n.account_id and e.mode = n.mode and e.number = n.last_entry
      and e.available_after = n.available and e.reserved_after = n.reserved
      and e.spent_after = n.spent and e.suspended_after = n.suspended) is null
  limit 1;
  if found then perform refuse_reference('balances_stand_in_last_entry', wrong::text); end if;
  return null;
end $$;
create trigger balances_stand_after_insert after insert on balances
  referencing new table as new_rows for each statement execute function require_last_entries();
create trigger balances_stand_after_update after update on balances
  referencing new table as new_rows for each statement execute function require_last_entries();
alter table balances drop constraint balances_stand_in_last_entry;
drop index ledger_entries_state;
