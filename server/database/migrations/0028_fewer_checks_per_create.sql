-- A create checks fewer rows. One foreign key proves what two did, and more: that the key of a task
-- belongs to its account and has its mode. Not validated, which would read the whole table under a
-- lock: every existing task satisfied the two.
alter table api_keys add constraint api_keys_identity unique (id, account_id, mode);
alter table tasks add constraint tasks_key_fkey
  foreign key (key_id, account_id, mode) references api_keys (id, account_id, mode) not valid;
alter table tasks drop constraint tasks_account_id_fkey, drop constraint tasks_key_id_fkey;

-- The account of a job is that of its task, which has a foreign key.
alter table jobs drop constraint jobs_account_id_fkey;

-- Once per statement instead of once per entry.
drop trigger ledger_open_account on ledger_entries;
drop function refuse_closed_account();
create function refuse_closed_accounts() returns trigger language plpgsql as $$
declare
  closed_account uuid;
begin
  select n.account_id into closed_account from new_rows n
  where n.kind in ('grant', 'reserve', 'refund')
    and (select b.closed from balances b where b.account_id = n.account_id and b.mode = n.mode)
  limit 1;
  if found then
    raise exception 'account % is closed', closed_account using errcode = 'VG002';
  end if;
  return null;
end $$;
create trigger ledger_open_account after insert on ledger_entries
  referencing new table as new_rows
  for each statement execute function refuse_closed_accounts();
