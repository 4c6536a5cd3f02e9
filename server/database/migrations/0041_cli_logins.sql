-- A command line that asks for an API key until a member confirms it in the dashboard.
create table cli_logins (
  -- The SHA-256 of what only the command line knows, in hexadecimal.
  digest text collate "C" primary key check (digest ~ '^[0-9a-f]{64}$'),
  -- What a person compares.
  letters text collate "C" not null unique check (letters ~ '^[B-Z]{4}-[B-Z]{4}$'),
  machine text not null check (length(machine) between 1 and 100),
  address text not null check (length(address) <= 100),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- Who confirmed it, for which account and mode; the person is null for the admin token.
  account_id uuid references accounts (id),
  mode text check (mode in ('live', 'test')),
  confirmed_by text check (length(confirmed_by) between 1 and 254),
  confirmed_by_person uuid references people (id),
  -- Then the key was handed over, and the login is used up.
  collected_at timestamptz,
  check ((account_id is null) = (mode is null) and (account_id is null) = (confirmed_by is null)),
  check (collected_at is null or account_id is not null)
);
create index cli_logins_by_age on cli_logins (expires_at);
