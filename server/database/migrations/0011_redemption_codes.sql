-- Credits that people add themselves: codes that an operator hands out, and payments by Stripe.

-- Only a digest of a code is kept: whoever reads this table can redeem nothing.
create table redemption_codes (
  id text primary key check (id ~ '^code_[0-9a-hjkmnp-tv-z]{26}$'),
  digest text not null unique check (digest ~ '^[0-9a-f]{64}$'),
  last_four text not null check (length(last_four) = 4),
  amount bigint not null check (amount between 1 and 1000000000),
  mode text not null check (mode in ('live', 'test')),
  note text not null check (length(note) between 1 and 1000),
  created_at timestamptz not null default now(),
  created_by text not null check (length(created_by) between 1 and 200),
  expires_at timestamptz,
  redeemed_at timestamptz,
  account_id uuid references accounts (id),
  revoked_at timestamptz,
  check ((redeemed_at is null) = (account_id is null)),
  check (redeemed_at is null or revoked_at is null)
);

-- A code ends once: redeemed or revoked, it never opens again, and what it is worth never changes.
create function refuse_code_change() returns trigger language plpgsql as $$
begin
  if old.redeemed_at is not null or old.revoked_at is not null
    or (old.id, old.digest, old.amount, old.mode, old.created_at)
      is distinct from (new.id, new.digest, new.amount, new.mode, new.created_at) then
    raise exception 'code % does not change any more', old.id using errcode = 'VG005';
  end if;
  return new;
end $$;

create trigger redemption_codes_change before update on redemption_codes
  for each row execute function refuse_code_change();

-- What was for sale when somebody went to pay. It is written before Stripe is asked, and holds the
-- price that the payment is judged by, whatever the configuration says later.
create table checkouts (
  id text primary key check (id ~ '^checkout_[0-9a-hjkmnp-tv-z]{26}$'),
  account_id uuid not null references accounts (id),
  pack text not null check (length(pack) between 1 and 100),
  credits bigint not null check (credits between 1 and 1000000000),
  price bigint not null check (price > 0),
  currency text not null check (currency ~ '^[a-z]{3}$'),
  created_at timestamptz not null default now(),
  created_by text not null check (length(created_by) between 1 and 200),
  session_id text unique check (length(session_id) between 1 and 200),
  payment_id text unique check (length(payment_id) between 1 and 200),
  outcome text check (outcome in ('booked', 'unbooked')),
  settled_at timestamptz,
  noted_events text[] not null default '{}',
  check ((outcome is null) = (settled_at is null)),
  check (outcome is null or session_id is not null)
);
create index checkouts_of_account on checkouts (account_id, created_at desc);

-- What an account may do only so often: guess codes, have calls made for a test.
create table account_windows (
  account_id uuid not null references accounts (id),
  purpose text not null check (length(purpose) between 1 and 50),
  stamps timestamptz[] not null default '{}',
  primary key (account_id, purpose)
);
