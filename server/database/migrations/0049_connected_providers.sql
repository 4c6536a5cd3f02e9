-- Providers that administrators connect in the dashboard (docs/decisions/0050).
create table connected_providers (
  name text primary key check (name ~ '^[a-z][a-z0-9-]{0,31}$'),
  -- As they were given, without the key.
  settings jsonb not null,
  created_at timestamptz not null default now(),
  created_by text not null check (length(created_by) between 1 and 254),
  -- From then on it gets no new tasks. Deleted when its last task has ended.
  removed_at timestamptz
);

-- The newest of a provider starts tasks; older ones finish the tasks that were started with them.
create table provider_credentials (
  -- What attempts store as their credential.
  id text collate "C" primary key,
  provider text not null references connected_providers (name) on delete cascade,
  -- Which key it is encrypted with, and the result: nonce, ciphertext and tag in base64.
  key_id text collate "C" not null,
  sealed text collate "C" not null,
  last_four text not null check (length(last_four) <= 4),
  created_at timestamptz not null default clock_timestamp()
);
create index provider_credentials_by_provider on provider_credentials (provider);

create table provider_routes (
  model text collate "C" primary key,
  -- First choice first. Empty once the last one was removed: the model has no route of its own, but
  -- tasks that were created before were not meant for the preview.
  providers text[] not null check (cardinality(providers) <= 16),
  changed_at timestamptz not null default now()
);

-- Test videos. A test is polled while an administrator watches it.
create table provider_tests (
  id text collate "C" primary key,
  provider text not null,
  credential text collate "C",
  reference text collate "C" not null unique,
  generation jsonb not null,
  -- The provider's handle; null until it has accepted the test.
  operation text,
  state text not null default 'running' check (state in ('running', 'completed', 'failed')),
  progress double precision check (progress between 0 and 1),
  detail text,
  video_url text,
  created_at timestamptz not null default now(),
  created_by text not null check (length(created_by) between 1 and 254),
  next_poll_at timestamptz not null default now(),
  ended_at timestamptz,
  check ((state = 'running') = (ended_at is null)),
  check ((state = 'completed') = (video_url is not null))
);
-- One at a time for each provider: tests cost money.
create unique index provider_tests_running on provider_tests (provider) where state = 'running';
create index provider_tests_by_age on provider_tests (created_at);
