-- Who holds keys, tasks and credits, the keys themselves, and what operators did.

-- What an installation keeps about itself; `secret` is here unless VIDGEN_SECRET gives it.
create table settings (
  key text primary key check (length(key) between 1 and 100),
  value text not null check (length(value) <= 10000)
);

create table accounts (
  id uuid primary key,
  name text not null check (length(name) between 1 and 200),
  -- The account of a first start: its tasks always go to the preview provider.
  demo boolean not null default false,
  webhook_secret text not null check (webhook_secret ~ '^whsec_[A-Za-z0-9+/=]{32,88}$'),
  -- After a rotation calls carry both signatures until this moment.
  previous_webhook_secret text
    check (previous_webhook_secret ~ '^whsec_[A-Za-z0-9+/=]{32,88}$'),
  previous_secret_until timestamptz,
  created_at timestamptz not null default now(),
  closed_at timestamptz,
  check ((previous_webhook_secret is null) = (previous_secret_until is null))
);
create index accounts_newest on accounts (created_at desc, id desc);

create table api_keys (
  id text collate "C" primary key check (id ~ '^key_[0-9A-Za-z]{22}$'),
  account_id uuid not null references accounts (id),
  mode text not null check (mode in ('live', 'test')),
  name text not null check (length(name) between 1 and 200),
  -- HMAC-SHA-256 of the key in hexadecimal; the key itself is nowhere.
  digest text collate "C" not null unique check (digest ~ '^[0-9a-f]{64}$'),
  -- What lists may show, so that a person can tell keys apart.
  prefix text not null check (length(prefix) between 1 and 20),
  last_four text not null check (length(last_four) = 4),
  permissions text[] not null
    check (permissions <@ array['videos:create', 'tasks:read', 'tasks:cancel']
      and cardinality(permissions) <= 3),
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index api_keys_of_account on api_keys (account_id, created_at desc, id desc);

-- The audit log of operators: who did what to which account, key, task or delivery.
create table operator_actions (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  actor text not null check (length(actor) between 1 and 200),
  action text not null check (length(action) between 1 and 100),
  subject text not null check (length(subject) between 1 and 200),
  detail jsonb not null default '{}' check (length(detail::text) <= 20000)
);
create index operator_actions_of_subject on operator_actions (subject, id desc);

create function operator_actions_refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'operator_actions is append-only' using errcode = 'restrict_violation';
end $$;

create trigger operator_actions_append_only
  before update or delete or truncate on operator_actions
  for each statement execute function operator_actions_refuse_change();
