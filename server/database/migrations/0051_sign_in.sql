-- concurrently
-- Sign-in by OpenID Connect, and a second factor for passwords (docs/decisions/0054).

-- Null for a person who signs in by OpenID Connect only.
alter table people alter column password_hash drop not null;

-- Who signs in as which person. An email address is never looked up here: it may change hands.
create table if not exists identities (
  issuer text collate "C" not null check (length(issuer) between 1 and 500),
  subject text collate "C" not null check (length(subject) between 1 and 255),
  person_id uuid not null references people (id),
  -- As the issuer named the person when the identity was linked; for display only.
  email text check (length(email) <= 254),
  created_at timestamptz not null default now(),
  primary key (issuer, subject),
  unique (person_id, issuer)
);

-- The time-based codes of an authenticator app.
create table if not exists second_factors (
  person_id uuid primary key references people (id),
  -- Encrypted with a key that is derived from VIDGEN_SECRET.
  secret bytea not null,
  -- Null until a code has proved that the app has the secret.
  enabled_at timestamptz,
  -- The newest time step whose code was used: each code works once.
  last_step bigint not null default 0
);

-- Only an HMAC of a code is here, in hexadecimal.
create table if not exists recovery_codes (
  person_id uuid not null references people (id),
  digest text collate "C" not null check (digest ~ '^[0-9a-f]{64}$'),
  used_at timestamptz,
  primary key (person_id, digest)
);

-- The address of an invitation in the form in which addresses are compared.
alter table links add column if not exists invited_email_key text collate "C";
update links set invited_email_key = lower(invited_email)
  where invited_email is not null and invited_email_key is null and expires_at > now();
create index concurrently links_by_invited_email on links (invited_email_key)
  where invited_email_key is not null;
