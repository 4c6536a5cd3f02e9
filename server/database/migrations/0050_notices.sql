-- Mail and notice webhooks: written in the commit of their cause and sent by a worker. The content
-- is encrypted, since it may hold a one-time link, and is deleted once the message has ended.
create table outbox (
  id text collate "C" primary key check (id ~ '^(mail|msg)_[0-9a-v]{26}$'),
  channel text not null check (channel in ('mail', 'webhook')),
  kind text not null check (length(kind) between 1 and 50),
  recipient text not null check (length(recipient) between 1 and 2048),
  content bytea,
  -- The message is not sent once this link is no longer valid.
  link_id uuid,
  account_id uuid references accounts (id),
  status text not null default 'waiting'
    check (status in ('waiting', 'sent', 'failed', 'cancelled')),
  -- Grows with every claim, and is required to record an outcome.
  attempts int not null default 0 check (attempts >= 0),
  run_at timestamptz not null default now(),
  last_error text check (length(last_error) <= 500),
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  check ((status = 'waiting') = (finished_at is null)),
  check (status = 'waiting' or content is null)
);
create index outbox_due on outbox (channel, run_at) where status = 'waiting';
create index outbox_finished on outbox (finished_at) where finished_at is not null;
create index outbox_failed on outbox (channel) where status = 'failed';
create index outbox_by_account on outbox (account_id) where account_id is not null;

-- A condition that people must know of. One row is open for each condition, so it is reported once.
create table notices (
  id text collate "C" primary key check (id ~ '^notice_[0-9a-v]{26}$'),
  kind text not null check (kind in ('low_balance', 'refund_waiting', 'provider_breaker_open',
    'webhook_failing', 'key_cap_reached')),
  account_id uuid references accounts (id),
  subject text collate "C" not null check (length(subject) <= 200),
  detail jsonb not null check (jsonb_typeof(detail) = 'object'),
  created_at timestamptz not null default now(),
  -- When the condition was last observed.
  seen_at timestamptz not null default now(),
  -- When mail and webhooks were written to the outbox.
  announced_at timestamptz,
  resolved_at timestamptz
);
create unique index notices_open on notices (kind, account_id, subject) nulls not distinct
  where resolved_at is null;
create index notices_by_account on notices (account_id, id desc);
create index notices_unannounced on notices (id) where announced_at is null;
create index notices_resolved on notices (resolved_at) where resolved_at is not null;

create table notice_dismissals (
  notice_id text collate "C" not null references notices (id) on delete cascade,
  person_id uuid not null references people (id),
  primary key (person_id, notice_id)
);
create index notice_dismissals_by_notice on notice_dismissals (notice_id);

-- Notices up to this ID are read.
create table notice_readings (
  person_id uuid primary key references people (id),
  read_up_to text collate "C" not null check (length(read_up_to) <= 100)
);

-- Below which live balance an account is notified.
create table balance_alerts (
  account_id uuid primary key references accounts (id),
  threshold bigint not null check (threshold > 0),
  is_low boolean not null default false
);

alter table links add column invited_email text;
alter table links add constraint links_invited_email_check
  check (length(invited_email) between 3 and 254) not valid;
