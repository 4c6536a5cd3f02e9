-- The people of the dashboard: who they are, where they may do what, how they come in.

create table people (
  id uuid primary key,
  email text not null check (length(email) between 3 and 254),
  -- Without regard to case: what is compared and unique.
  email_key text collate "C" not null unique check (length(email_key) between 3 and 254),
  name text not null check (length(name) between 1 and 200),
  -- Of the installation: may do everything.
  administrator boolean not null default false,
  -- Argon2id in PHC form.
  password_hash text not null check (password_hash ~ '^\$argon2id\$v=19\$'),
  created_at timestamptz not null default now(),
  -- True to the minute.
  last_seen_at timestamptz,
  -- Since when the person can no longer sign in.
  closed_at timestamptz
);
create index people_newest on people (created_at desc, id desc);

create table memberships (
  account_id uuid not null references accounts (id),
  person_id uuid not null references people (id),
  role text not null check (role in ('owner', 'developer', 'viewer')),
  created_at timestamptz not null default now(),
  primary key (account_id, person_id)
);
create index memberships_of_person on memberships (person_id);

-- Only the SHA-256 of a token is here, in hexadecimal: who reads this table can sign in nowhere.
create table sessions (
  id uuid primary key,
  person_id uuid not null references people (id),
  digest text collate "C" not null unique check (digest ~ '^[0-9a-f]{64}$'),
  -- The token before a rotation, for requests that were under way.
  previous_digest text collate "C" check (previous_digest ~ '^[0-9a-f]{64}$'),
  previous_until timestamptz,
  created_at timestamptz not null default now(),
  -- At most once a minute.
  last_used_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- When the password was last given.
  confirmed_at timestamptz not null default now(),
  address text not null check (length(address) <= 100),
  agent text not null check (length(agent) <= 400),
  check ((previous_digest is null) = (previous_until is null))
);
create index sessions_of_person on sessions (person_id, created_at desc);
create index sessions_by_previous on sessions (previous_digest) where previous_digest is not null;

-- Links that work once: they make an administrator or a member, or set a new password.
create table links (
  id uuid primary key,
  digest text collate "C" not null unique check (digest ~ '^[0-9a-f]{64}$'),
  purpose text not null check (purpose in ('administrator', 'member', 'password')),
  account_id uuid references accounts (id),
  role text check (role in ('owner', 'developer', 'viewer')),
  -- Whose password it sets.
  person_id uuid references people (id),
  -- As the audit log names who made it, and the person, where it was one.
  made_by text not null check (length(made_by) between 1 and 254),
  made_by_person uuid references people (id),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  revoked_at timestamptz,
  check ((purpose = 'member') = (account_id is not null)),
  check ((purpose = 'member') = (role is not null)),
  check ((purpose = 'password') = (person_id is not null)),
  check (used_at is null or revoked_at is null)
);
create index links_of_account on links (account_id, created_at desc, id desc)
  where account_id is not null;

-- Wrong passwords lately, by person and by network: the next try waits.
create table sign_in_troubles (
  scope text collate "C" primary key check (length(scope) between 1 and 100),
  tries integer not null check (tries >= 1),
  last_try_at timestamptz not null,
  blocked_until timestamptz not null
);
create index sign_in_troubles_by_age on sign_in_troubles (last_try_at);

-- As the audit log names who minted the key; null for keys from before there were people.
alter table api_keys add column created_by text check (length(created_by) between 1 and 254);

-- An e-mail address may be longer than the names the audit log has known so far.
alter table operator_actions drop constraint operator_actions_actor_check;
alter table operator_actions add constraint operator_actions_actor_check
  check (length(actor) between 1 and 254);
