-- A suspended account keeps everything and accepts nothing new until it is resumed. The note is for
-- administrators. Limits are null where the installation's apply; 0 is no limit.
alter table accounts
  add column suspended_at timestamptz,
  add column suspension_note text check (length(suspension_note) between 1 and 1000),
  add column creates_per_minute_max integer check (creates_per_minute_max >= 0),
  add column running_tasks_max integer check (running_tasks_max >= 0);

-- A deduction takes back available credits that were granted. Not validated, which would read the
-- whole table under a lock: every existing entry satisfied the stricter checks.
alter table ledger_entries
  drop constraint ledger_entries_check,
  drop constraint ledger_entries_check1,
  add constraint ledger_entries_transfer_check check ((kind, source, target) in (
    ('grant', 'outside', 'available'),
    ('deduct', 'available', 'outside'),
    ('reserve', 'available', 'reserved'),
    ('charge', 'reserved', 'spent'),
    ('refund', 'reserved', 'available'),
    ('suspend', 'reserved', 'suspended'),
    ('release', 'suspended', 'available')
  )) not valid,
  add constraint ledger_entries_task_check
    check ((kind in ('grant', 'deduct')) = (task_id is null)) not valid,
  add constraint ledger_entries_deduct_note_check
    check (kind <> 'deduct' or note is not null) not valid;

create or replace function refuse_closed_accounts() returns trigger language plpgsql as $$
declare
  closed_account uuid;
begin
  select n.account_id into closed_account from new_rows n
  where n.kind in ('grant', 'deduct', 'reserve', 'refund')
    and (select b.closed from balances b where b.account_id = n.account_id and b.mode = n.mode)
  limit 1;
  if found then
    raise exception 'account % is closed', closed_account using errcode = 'VG002';
  end if;
  return null;
end $$;

-- How many credits the tasks of a key may reserve in each period; null is no cap.
alter table api_keys
  add column spending_cap bigint check (spending_cap >= 0),
  add column spending_period text check (spending_period in ('day', 'month', 'total')),
  add constraint api_keys_spending_check
    check ((spending_cap is null) = (spending_period is null));

-- Credits of the tasks that a key with a cap created in a period, without those that were refunded.
-- A period is named by its first day in UTC, and `total` by 1970-01-01. Written only while the
-- balance of the key's account and mode is locked.
create table key_spending (
  key_id text collate "C" not null references api_keys (id),
  starts_on date not null,
  credits bigint not null check (credits >= 0),
  primary key (key_id, starts_on)
) with (fillfactor = 50);
