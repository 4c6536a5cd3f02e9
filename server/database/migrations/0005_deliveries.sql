-- Webhook deliveries (Spec 6): one for each final task with a callback address, written by the
-- commit that makes the task final, and the log of every call made for it.
create table deliveries (
  -- Sent as `webhook-id`: the same over all attempts and replays, so receivers can de-duplicate.
  id text collate "C" primary key check (id ~ '^msg_[0-9a-v]{26}$'),
  account_id uuid not null references accounts (id),
  task_id text collate "C" not null unique references tasks (id),
  mode text not null check (mode in ('live', 'test')),
  url text not null,
  -- Text, not jsonb: what is signed is these bytes, and every attempt sends the same ones.
  body text not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'exhausted')),
  -- Calls made in all rounds. A replay starts a new round, and the schedule from its beginning.
  attempts_made int not null default 0 check (attempts_made >= 0),
  round int not null default 1 check (round >= 1),
  attempts_before_round int not null default 0,
  created_at timestamptz not null default now(),
  delivered_at timestamptz,
  check (attempts_before_round between 0 and attempts_made),
  check (status = 'pending' or attempts_made > attempts_before_round),
  check ((status = 'delivered') = (delivered_at is not null))
) with (fillfactor = 80);
create index deliveries_by_account on deliveries (account_id, id desc);
create index deliveries_by_status on deliveries (account_id, status, id desc);

create table call_attempts (
  delivery_id text collate "C" not null references deliveries (id),
  number int not null check (number >= 1),
  round int not null check (round >= 1),
  started_at timestamptz not null,
  duration_ms int not null check (duration_ms >= 0),
  answer_status int,
  error text,
  answer_body text,
  primary key (delivery_id, number),
  -- Either the receiver answered or the call failed before it could.
  check ((answer_status is null) = (error is not null))
);
