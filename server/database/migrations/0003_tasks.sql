-- Tasks, the attempts made for them at providers, and the idempotency keys that created them.
create table tasks (
  id text collate "C" primary key check (id ~ '^task_[0-9a-hjkmnp-tv-z]{26}$'),
  account_id uuid not null references accounts (id),
  key_id text not null references api_keys (id),
  mode text not null check (mode in ('live', 'test')),
  status text not null default 'queued'
    check (status in ('queued', 'generating', 'completed', 'failed')),
  billing_status text not null default 'reserved'
    check (billing_status in ('reserved', 'charged', 'refunded', 'refund_failed')),
  failed_reason text check (failed_reason in (
    'provider_failed', 'provider_rejected', 'material_unavailable', 'timed_out', 'cancelled',
    'internal_error')),
  model text not null,
  generation jsonb not null,
  callback_url text,
  credits bigint not null check (credits > 0),
  created_at timestamptz not null default now(),
  deadline_at timestamptz not null,
  submitted_at timestamptz,
  finished_at timestamptz,
  result jsonb,
  expires_at timestamptz,
  removed_at timestamptz,
  progress real,
  -- The operator's word on a refund that could not be booked; null while it waits for one.
  refund_outcome text check (refund_outcome in ('refunded', 'written_off')),
  check ((status = 'completed') = (billing_status = 'charged')),
  check ((status = 'failed') = (billing_status in ('refunded', 'refund_failed'))),
  check ((status = 'failed') = (failed_reason is not null)),
  check ((status in ('completed', 'failed')) = (finished_at is not null)),
  check ((status = 'completed') = (result is not null)),
  check ((result is null) = (expires_at is null)),
  check (refund_outcome is null or billing_status in ('refunded', 'refund_failed'))
) with (fillfactor = 80);
create index tasks_by_account on tasks (account_id, mode, id desc);
create index tasks_unfinished on tasks (account_id, mode, credits) where finished_at is null;
create index tasks_refund_failed on tasks (id)
  where billing_status = 'refund_failed' and refund_outcome is null;

-- Spec 3: queued → generating → completed or failed, and queued → failed. No other move exists.
create function refuse_illegal_move() returns trigger language plpgsql as $$
begin
  if (old.status, new.status) not in (
    ('queued', 'generating'), ('queued', 'failed'),
    ('generating', 'completed'), ('generating', 'failed')
  ) and old.status <> new.status then
    raise exception 'task % cannot move from % to %', old.id, old.status, new.status
      using errcode = 'VG004';
  end if;
  if old.billing_status <> new.billing_status and (old.billing_status, new.billing_status) not in (
    ('reserved', 'charged'), ('reserved', 'refunded'), ('reserved', 'refund_failed'),
    ('refund_failed', 'refunded')
  ) then
    raise exception 'task % cannot move from % to %', old.id, old.billing_status, new.billing_status
      using errcode = 'VG004';
  end if;
  if (old.id, old.account_id, old.mode, old.credits, old.model, old.created_at)
    is distinct from (new.id, new.account_id, new.mode, new.credits, new.model, new.created_at) then
    raise exception 'what task % was created with does not change', old.id using errcode = 'VG004';
  end if;
  return new;
end $$;
create trigger tasks_move before update on tasks for each row
  execute function refuse_illegal_move();

-- One try at a provider. `reference` is ours and is committed before the provider is asked.
create table attempts (
  task_id text collate "C" not null references tasks (id),
  number int not null check (number >= 1),
  provider text not null,
  reference text not null unique,
  operation text,
  -- From the moment the provider is asked until it answers. A lost answer leaves it true: then the
  -- provider may have the task, and is never asked again without looking first.
  unanswered boolean not null default true,
  asked_at timestamptz not null default now(),
  -- Null while it is open.
  outcome text check (outcome in (
    'refused', 'completed', 'failed', 'lost', 'cancelled', 'timed_out', 'abandoned')),
  -- What happened at the provider after the task was final: a generation nobody pays us for.
  loss text,
  detail text,
  started_at timestamptz not null default now(),
  accepted_at timestamptz,
  ended_at timestamptz,
  output_seconds real,
  primary key (task_id, number),
  check ((outcome is null) = (ended_at is null))
);
create unique index attempts_one_open on attempts (task_id) where outcome is null;

create table idempotency_keys (
  account_id uuid not null references accounts (id),
  mode text not null check (mode in ('live', 'test')),
  key text not null check (length(key) between 1 and 255),
  request_digest text not null,
  task_id text not null references tasks (id),
  credits bigint not null,
  created_at timestamptz not null default now(),
  primary key (account_id, mode, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);
