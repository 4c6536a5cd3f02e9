-- Credits. A balance is what its last entry says; entries are appended and never changed.
create table balances (
  account_id uuid not null references accounts (id),
  mode text not null check (mode in ('live', 'test')),
  available bigint not null default 0 check (available >= 0),
  reserved bigint not null default 0 check (reserved >= 0),
  spent bigint not null default 0 check (spent >= 0),
  suspended bigint not null default 0 check (suspended >= 0),
  granted bigint not null default 0,
  last_entry bigint,
  -- A closed account takes no grant, reservation or refund; what is reserved is still settled.
  closed boolean not null default false,
  primary key (account_id, mode),
  check (granted = available + reserved + spent + suspended),
  check (last_entry is not null or granted = 0)
) with (fillfactor = 50);

create table ledger_entries (
  id bigint generated always as identity primary key,
  account_id uuid not null,
  mode text not null,
  number bigint not null check (number >= 1),
  kind text not null,
  source text not null,
  target text not null,
  amount bigint not null check (amount > 0),
  available_after bigint not null check (available_after >= 0),
  reserved_after bigint not null check (reserved_after >= 0),
  spent_after bigint not null check (spent_after >= 0),
  suspended_after bigint not null check (suspended_after >= 0),
  task_id text,
  note text check (length(note) <= 1000),
  reference text check (length(reference) between 1 and 255),
  created_at timestamptz not null default now(),
  foreign key (account_id, mode) references balances (account_id, mode),
  check ((kind, source, target) in (
    ('grant', 'outside', 'available'),
    ('reserve', 'available', 'reserved'),
    ('charge', 'reserved', 'spent'),
    ('refund', 'reserved', 'available'),
    ('suspend', 'reserved', 'suspended'),
    ('release', 'suspended', 'available')
  )),
  check ((kind = 'grant') = (task_id is null))
);

-- The balance stands in its last entry, figure by figure, or the commit fails.
create unique index ledger_entries_state on ledger_entries
  (account_id, mode, number, available_after, reserved_after, spent_after, suspended_after);
create unique index ledger_entries_number on ledger_entries (account_id, mode, number);
alter table balances add constraint balances_stand_in_last_entry
  foreign key (account_id, mode, last_entry, available, reserved, spent, suspended)
  references ledger_entries
    (account_id, mode, number, available_after, reserved_after, spent_after, suspended_after);

-- One reservation and at most one settlement a task, whatever the code does.
create unique index ledger_one_reservation on ledger_entries (task_id) where kind = 'reserve';
create unique index ledger_one_settlement on ledger_entries (task_id)
  where kind in ('charge', 'refund', 'suspend');
create unique index ledger_one_release on ledger_entries (task_id) where kind = 'release';
-- A reference is booked once.
create unique index ledger_one_reference on ledger_entries (account_id, mode, reference)
  where reference is not null;
create index ledger_by_account on ledger_entries (account_id, id desc);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'VG001';
end $$;
create trigger ledger_append_only before update or delete or truncate on ledger_entries
  for each statement execute function refuse_change();

create function refuse_closed_account() returns trigger language plpgsql as $$
begin
  if (select closed from balances where account_id = new.account_id and mode = new.mode) then
    raise exception 'account % is closed', new.account_id using errcode = 'VG002';
  end if;
  return new;
end $$;
create trigger ledger_open_account before insert on ledger_entries for each row
  when (new.kind in ('grant', 'reserve', 'refund')) execute function refuse_closed_account();

-- A settlement moves exactly what was reserved for its task.
create function require_reservation() returns trigger language plpgsql as $$
begin
  if not exists (
    select from ledger_entries
    where task_id = new.task_id and kind = 'reserve' and amount = new.amount
      and account_id = new.account_id and mode = new.mode
  ) then
    raise exception 'no reservation of % for %', new.amount, new.task_id using errcode = 'VG003';
  end if;
  return new;
end $$;
create trigger ledger_settles_reservation before insert on ledger_entries for each row
  when (new.kind in ('charge', 'refund', 'suspend')) execute function require_reservation();
