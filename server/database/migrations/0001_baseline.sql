-- The tables of version 0.3.0. Later changes are migrations of their own; `schema.sql` is the sum.

-- Words of a text in any script, and a search for their beginnings.
create function search_words(content text) returns tsvector
  language sql immutable parallel safe
  return strip(to_tsvector('pg_catalog.simple', regexp_replace(
    case when octet_length(content) = char_length(content) then lower(content)
    else regexp_replace(translate(lower(content),
      'ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮĲĴĶŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶ'
      'ȘȚĹĻĽĿŁŃŅŇŹŻŽΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЀЁЂЃЄЅІЇЈ'
      'ЉЊЋЌЍЎЏ',
      'àáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĳĵķŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷ'
      'șțĺļľŀłńņňźżžαβγδεζηθικλμνξοπρστυφχψωϊϋабвгдежзийклмнопрстуфхцчшщъыьэюяѐёђѓєѕіїј'
      'љњћќѝўџ'),
      '([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff])', ' \1 ', 'g')
    end, '[!-/:-@\[-`{-~]', ' ', 'g')));

create function search_query(content text) returns tsquery
  language sql immutable parallel safe
  return (select coalesce(string_agg(
      quote_literal(word) || case when cardinality(words) > 8 then '' else ':*' end, ' & '),
      '')::tsquery
    from (select tsvector_to_array(search_words(content)) as words) as found,
      unnest(words) as word);

create table accounts (
  id uuid not null,
  name text not null,
  -- The account of a first start: its tasks always go to the preview provider.
  demo boolean default false not null,
  webhook_secret text not null,
  -- After a rotation, webhooks carry both signatures until then.
  previous_webhook_secret text,
  previous_secret_until timestamptz,
  created_at timestamptz default now() not null,
  closed_at timestamptz,
  -- Receives the webhooks of tasks whose create names no callback URL.
  webhook_url text,
  -- How many days an account keeps what it sent and received, where it differs from the
  -- installation: prompts, deliveries, tasks, files. 0 keeps it.
  retention jsonb,
  -- An account is erased in slices: begun in one commit, finished when only its ledger and usage
  -- are left.
  erasure_started_at timestamptz,
  erased_at timestamptz,
  suspended_at timestamptz,
  suspension_note text,
  creates_per_minute_max integer,
  running_tasks_max integer,
  constraint accounts_pkey primary key (id),
  constraint accounts_check check ((previous_webhook_secret is null) = (previous_secret_until is
    null)),
  constraint accounts_creates_per_minute_max_check check (creates_per_minute_max >= 0),
  constraint accounts_erasure_check check ((((erased_at is null)
    or (erasure_started_at is not null)) and ((erasure_started_at is null)
    or (closed_at is not null)))),
  constraint accounts_name_check check ((length(name) >= 1) and (length(name) <= 200)),
  constraint accounts_previous_webhook_secret_check check (previous_webhook_secret ~
    '^whsec_[A-Za-z0-9+/=]{32,88}$'),
  constraint accounts_retention_check check ((retention is null)
    or (jsonb_typeof(retention) = 'object')),
  constraint accounts_running_tasks_max_check check (running_tasks_max >= 0),
  constraint accounts_suspension_note_check check ((length(suspension_note) >= 1)
    and (length(suspension_note) <= 1000)),
  constraint accounts_webhook_secret_check check (webhook_secret ~
    '^whsec_[A-Za-z0-9+/=]{32,88}$'),
  constraint accounts_webhook_url_check check ((length(webhook_url) >= 1)
    and (length(webhook_url) <= 2048))
);
create index accounts_by_name on accounts ("left"(lower(name), 64) collate "C", id);
-- The list of closed accounts, without reading the others.
create index accounts_closed on accounts (created_at, id) where (closed_at is not null);
create index accounts_erasing on accounts (id) where ((erasure_started_at is not null)
  and (erased_at is null));
create index accounts_newest on accounts (created_at desc, id desc);
-- The list of suspended accounts, without reading the others.
create index accounts_suspended on accounts (created_at, id) where (suspended_at is not null);
create index accounts_words on accounts using gin (search_words(name));

create table api_keys (
  id text collate "C" not null,
  account_id uuid not null,
  mode text not null,
  name text not null,
  -- HMAC-SHA-256 of the key in hexadecimal; the key itself is nowhere.
  digest text collate "C" not null,
  -- What lists may show, so that a person can tell keys apart.
  prefix text not null,
  last_four text not null,
  permissions text[] not null,
  created_at timestamptz default now() not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  -- Who created the key, as in the audit log; null for keys that no person created.
  created_by text,
  -- Tasks of the playground belong to a key, too: one per account and mode, whose digest is of
  -- random bytes. It is not listed, does not expire and cannot be revoked; closing the account
  -- ends it.
  playground boolean default false not null,
  spending_cap bigint,
  spending_period text,
  constraint api_keys_pkey primary key (id),
  constraint api_keys_account_id_fkey foreign key (account_id) references accounts(id),
  constraint api_keys_created_by_check check ((length(created_by) >= 1)
    and (length(created_by) <= 254)),
  constraint api_keys_digest_check check (digest ~ '^[0-9a-f]{64}$'),
  constraint api_keys_digest_key unique (digest),
  constraint api_keys_id_check check (id ~ '^key_[0-9A-Za-z]{22}$'),
  constraint api_keys_identity unique (id, account_id, mode),
  constraint api_keys_last_four_check check (length(last_four) = 4),
  constraint api_keys_mode_check check (mode in ('live', 'test')),
  constraint api_keys_name_check check ((length(name) >= 1) and (length(name) <= 200)),
  constraint api_keys_permissions_check check ((permissions <@ array['videos:create',
    'tasks:read', 'tasks:cancel', 'tasks:delete']) and (cardinality(permissions) <= 4)),
  constraint api_keys_playground_stays check ((not playground) or ((revoked_at is null)
    and (expires_at is null))),
  constraint api_keys_prefix_check check ((length(prefix) >= 1) and (length(prefix) <= 20)),
  constraint api_keys_spending_cap_check check (spending_cap >= 0),
  constraint api_keys_spending_check check ((spending_cap is null) = (spending_period is null)),
  constraint api_keys_spending_period_check check (spending_period in ('day', 'month', 'total'))
);
create index api_keys_of_account on api_keys (account_id, created_at desc, id desc);
create unique index api_keys_one_playground on api_keys (account_id, mode) where playground;

-- Credits. A balance is what its last entry says; entries are appended and never changed.
create table balances (
  account_id uuid not null,
  mode text not null,
  available bigint default 0 not null,
  reserved bigint default 0 not null,
  spent bigint default 0 not null,
  suspended bigint default 0 not null,
  granted bigint default 0 not null,
  last_entry bigint,
  -- A closed account takes no grant, reservation or refund; what is reserved is still settled.
  closed boolean default false not null,
  constraint balances_pkey primary key (account_id, mode),
  constraint balances_account_id_fkey foreign key (account_id) references accounts(id),
  constraint balances_available_check check (available >= 0),
  constraint balances_check check (granted = (((available + reserved) + spent) + suspended)),
  constraint balances_check1 check ((last_entry is not null) or (granted = 0)),
  constraint balances_mode_check check (mode in ('live', 'test')),
  constraint balances_reserved_check check (reserved >= 0),
  constraint balances_spent_check check (spent >= 0),
  constraint balances_suspended_check check (suspended >= 0)
) with (fillfactor = 50);

create table ledger_entries (
  id bigint generated always as identity not null,
  account_id uuid not null,
  mode text not null,
  number bigint not null,
  kind text not null,
  source text not null,
  target text not null,
  amount bigint not null,
  available_after bigint not null,
  reserved_after bigint not null,
  spent_after bigint not null,
  suspended_after bigint not null,
  task_id text,
  note text,
  reference text,
  created_at timestamptz default now() not null,
  constraint ledger_entries_pkey primary key (id),
  constraint ledger_entries_account_id_mode_fkey foreign key (account_id, mode)
    references balances(account_id, mode),
  constraint ledger_entries_amount_check check (amount > 0),
  constraint ledger_entries_available_after_check check (available_after >= 0),
  constraint ledger_entries_deduct_note_check check (((kind <> 'deduct') or (note is not null))),
  constraint ledger_entries_note_check check (length(note) <= 1000),
  constraint ledger_entries_number_check check (number >= 1),
  constraint ledger_entries_reference_check check ((length(reference) >= 1)
    and (length(reference) <= 255)),
  constraint ledger_entries_reserved_after_check check (reserved_after >= 0),
  constraint ledger_entries_spent_after_check check (spent_after >= 0),
  constraint ledger_entries_suspended_after_check check (suspended_after >= 0),
  constraint ledger_entries_task_check check (((kind in ('grant', 'deduct')) = (task_id is
    null))),
  constraint ledger_entries_transfer_check check (((((((((kind = 'grant')
    and (source = 'outside') and (target = 'available')) or ((kind = 'deduct')
    and (source = 'available') and (target = 'outside'))) or ((kind = 'reserve')
    and (source = 'available') and (target = 'reserved'))) or ((kind = 'charge')
    and (source = 'reserved') and (target = 'spent'))) or ((kind = 'refund')
    and (source = 'reserved') and (target = 'available'))) or ((kind = 'suspend')
    and (source = 'reserved') and (target = 'suspended'))) or ((kind = 'release')
    and (source = 'suspended') and (target = 'available'))))
);
-- An account that rarely uses a mode finds its entries without reading those of the other mode.
create index ledger_by_mode on ledger_entries (account_id, mode, id desc);
-- As `ledger_rare_entries`, for the kind that was added later.
create index ledger_deductions on ledger_entries (account_id, mode, kind, id desc)
  where (kind = 'deduct');
create unique index ledger_entries_number on ledger_entries (account_id, mode, number);
-- The balance stands in its last entry, figure by figure, or the commit fails.
create unique index ledger_entries_state on ledger_entries (account_id, mode, number,
  available_after, reserved_after, spent_after, suspended_after);
-- A reference is booked once.
create unique index ledger_one_reference on ledger_entries (account_id, mode, reference)
  where (reference is not null);
create unique index ledger_one_release on ledger_entries (task_id) where (kind = 'release');
-- One reservation and at most one settlement a task, whatever the code does.
create unique index ledger_one_reservation on ledger_entries (task_id) where (kind = 'reserve');
create unique index ledger_one_settlement on ledger_entries (task_id)
  where (kind in ('charge', 'refund', 'suspend'));
-- Kinds that are rare among reservations and charges, so that a statement of one kind does not read
-- the whole history of the account.
create index ledger_rare_entries on ledger_entries (account_id, mode, kind, id desc)
  where (kind in ('grant', 'refund', 'suspend', 'release'));

-- Tasks, the attempts made for them at providers, and the idempotency keys that created them.
create table tasks (
  id text collate "C" not null,
  account_id uuid not null,
  key_id text collate "C" not null,
  mode text not null,
  status text default 'queued' not null,
  billing_status text default 'reserved' not null,
  failed_reason text,
  model text not null,
  generation jsonb not null,
  callback_url text,
  credits bigint not null,
  created_at timestamptz default now() not null,
  deadline_at timestamptz not null,
  submitted_at timestamptz,
  finished_at timestamptz,
  result jsonb,
  expires_at timestamptz,
  removed_at timestamptz,
  progress real,
  -- How an operator resolved a refund that could not be booked; null while it waits.
  refund_outcome text,
  -- Which part of the content a provider rejected, where it says so: something that the customer
  -- sent, or the video. It decides what the customer is advised to change.
  refused_part text,
  -- The x-request-id of the create, and the person who created the task in the playground; null for
  -- creates with a key.
  request_id text,
  created_by text,
  -- The seconds of output that a video edit was priced for, by its longest source. Null where the
  -- request itself names the duration. No material that is longer is edited for this price.
  priced_seconds float8,
  -- The formats of its images, such as ["PNG", null, "HEIC"], where null is unknown. Not every
  -- provider takes every format.
  image_formats jsonb,
  -- The API of another vendor that a task was created through: callbacks have its shape, and reads
  -- show what only its clients sent. Null for our own API.
  dialect jsonb,
  -- The customer's own pairs, as they were sent; null for tasks without.
  metadata jsonb,
  constraint tasks_pkey primary key (id),
  constraint tasks_billing_status_check check (billing_status in ('reserved', 'charged',
    'refunded', 'refund_failed')),
  constraint tasks_check check ((status = 'completed') = (billing_status = 'charged')),
  constraint tasks_check1 check ((status = 'failed') = (billing_status in ('refunded',
    'refund_failed'))),
  constraint tasks_check2 check ((status = 'failed') = (failed_reason is not null)),
  constraint tasks_check3 check ((status in ('completed', 'failed')) = (finished_at is not null)),
  constraint tasks_check4 check ((status = 'completed') = (result is not null)),
  constraint tasks_check5 check ((result is null) = (expires_at is null)),
  constraint tasks_check6 check ((refund_outcome is null)
    or (billing_status in ('refunded', 'refund_failed'))),
  constraint tasks_credits_check check (credits > 0),
  constraint tasks_dialect_check check (((dialect is null)
    or ((dialect ->> 'name') = 'modelark'))),
  constraint tasks_failed_reason_check check (failed_reason in ('provider_failed',
    'provider_rejected', 'material_unavailable', 'timed_out', 'cancelled', 'internal_error')),
  constraint tasks_id_check check (id ~ '^task_[0-9a-hjkmnp-tv-z]{26}$'),
  constraint tasks_key_fkey foreign key (key_id, account_id, mode)
    references api_keys(id, account_id, mode),
  constraint tasks_mode_check check (mode in ('live', 'test')),
  constraint tasks_priced_seconds_check check ((priced_seconds > (0)::float8)
    and (priced_seconds <= (30)::float8)),
  constraint tasks_refund_outcome_check check (refund_outcome in ('refunded', 'written_off')),
  constraint tasks_refused_part_check check ((refused_part in ('prompt', 'material', 'input',
    'output', 'settings'))),
  constraint tasks_refused_part_of_refused check ((refused_part is null)
    or (failed_reason = 'provider_rejected')),
  constraint tasks_status_check check (status in ('queued', 'generating', 'completed', 'failed'))
) with (fillfactor = 80);
create index tasks_by_account on tasks (account_id, mode, id desc);
-- How long the last tasks of one kind took: the newest 200 are read, however many there are.
create index tasks_completed_alike on tasks (mode, model, ((generation ->> 'resolution')),
  ((generation ->> 'duration')), id desc) where (status = 'completed');
-- The same for the task list of all accounts.
create index tasks_failed on tasks (failed_reason, id desc) where (failed_reason is not null);
-- An account whose tasks rarely fail finds the failed ones without reading the others.
create index tasks_failed_of_account on tasks (account_id, failed_reason, id desc)
  where (failed_reason is not null);
-- Also those that an admin has resolved, unlike in `tasks_refund_failed`, which 0036 drops.
create index tasks_refund_failures on tasks (id) where (billing_status = 'refund_failed');
create index tasks_unfinished on tasks (account_id, mode, credits) where (finished_at is null);

-- One start at a provider. `reference` is ours and is committed before the provider is called.
create table attempts (
  task_id text collate "C" not null,
  number integer not null,
  provider text not null,
  reference text not null,
  operation text,
  -- True from the call of the provider to its response. A lost response leaves it true: then the
  -- provider may have the task, and is not called again before it was looked up there.
  unanswered boolean default true not null,
  asked_at timestamptz default now() not null,
  -- Null while it is open.
  outcome text,
  -- What happened at the provider after the task was final: a generation nobody pays us for.
  loss text,
  detail text,
  started_at timestamptz default now() not null,
  accepted_at timestamptz,
  ended_at timestamptz,
  output_seconds real,
  -- The name of the credential an attempt began with: a rotated key still reads its old tasks. And
  -- what each provider has at the moment, counted before it is given more.
  credential text,
  -- When we began to cancel the attempt. Written before the provider is called, so that a poll that
  -- finds it cancelled, or a process after a crash, knows why.
  stop_asked_at timestamptz,
  -- How often a finished video could not be fetched. Failed polls do not count.
  uncollected integer default 0 not null,
  -- When a provider did not confirm a cancellation. An attempt that ends without a video after that
  -- was cancelled; it did not fail.
  stop_unconfirmed_at timestamptz,
  -- Cancellation was requested at a process whose configuration lacks the provider; the next worker
  -- that has it asks the provider.
  stop_wanted boolean default false not null,
  constraint attempts_pkey primary key (task_id, number),
  constraint attempts_check check ((outcome is null) = (ended_at is null)),
  constraint attempts_number_check check (number >= 1),
  constraint attempts_outcome_check check (outcome in ('throttled', 'refused', 'completed',
    'failed', 'lost', 'cancelled', 'timed_out', 'abandoned')),
  constraint attempts_reference_key unique (reference)
);
-- The tasks of a provider, newest first.
create index attempts_by_provider on attempts (provider, task_id desc);
create unique index attempts_one_open on attempts (task_id) where (outcome is null);
create index attempts_open_by_provider on attempts (provider) where (outcome is null);

-- Jobs. A row is claimed with a lease and a fence; the step that ran it deletes or reschedules
-- it in the transaction that writes the outcome, so a job is neither done twice nor lost.
create table jobs (
  id bigint generated always as identity not null,
  kind text not null,
  -- Queues do not wait for each other: webhooks to slow receivers delay no generation.
  queue text not null,
  account_id uuid not null,
  task_id text collate "C" not null,
  delivery_id text collate "C",
  run_at timestamptz default now() not null,
  -- Set when run_at has come, so that claims read only rows that are due.
  ready boolean default true not null,
  lease_owner text,
  lease_until timestamptz,
  fence bigint default 0 not null,
  attempts integer default 0 not null,
  -- Claims in a row during which the worker crashed.
  crash_count integer default 0 not null,
  last_error text,
  created_at timestamptz default now() not null,
  -- Webhooks of an account are claimed by receiver, so that one that hangs does not delay the
  -- others: 1 to 64 by the digest of host and port, because an account can have any number of
  -- receivers and a claim reads each; 0 for other jobs.
  receiver smallint default 0 not null,
  -- The providers and models whose capacity a submit waits for. It is woken when one has some.
  waits_for text[],
  constraint jobs_pkey primary key (id),
  constraint jobs_check check ((lease_owner is null) = (lease_until is null)),
  constraint jobs_check1 check ((kind = 'notify') = (delivery_id is not null)),
  constraint jobs_kind_check check (kind in ('submit', 'poll', 'notify', 'expire')),
  constraint jobs_queue_check check (queue in ('default', 'polls', 'webhooks'))
) with (fillfactor = 70);
create index jobs_lease_end on jobs (lease_until) where (lease_until is not null);
create index jobs_leased on jobs (queue, account_id, receiver) where (lease_until is not null);
create unique index jobs_one_call on jobs (delivery_id) where (kind = 'notify');
create unique index jobs_one_expire on jobs (task_id) where (kind = 'expire');
-- One submit or poll per task, so that no two workers generate it.
create unique index jobs_one_work on jobs (task_id) where (kind in ('submit', 'poll'));
create index jobs_ready on jobs (queue, account_id, receiver, run_at, id) where (ready
  and (lease_until is null));
create index jobs_scheduled on jobs (run_at) where ((not ready) and (lease_until is null));
-- Jobs during which two workers in a row have crashed. They are claimed one at a time, and read at
-- every claim: this index is all but always empty.
create index jobs_isolated on jobs (queue, run_at) where (ready and (lease_until is null)
  and (crash_count >= 2));
-- By account, and by age within an account: both decide which job is woken first.
create index jobs_waiting on jobs (waits_for, account_id, task_id) where ((kind = 'submit')
  and (waits_for is not null) and (not ready) and (lease_until is null));

-- Webhook deliveries (docs/spec.md 6): one for each final task with a callback address, written by
-- the commit that makes the task final, and the log of every call made for it.
create table deliveries (
  -- Sent as `webhook-id`: the same over all attempts and replays, so receivers can de-duplicate.
  id text collate "C" not null,
  account_id uuid not null,
  task_id text collate "C" not null,
  mode text not null,
  url text not null,
  -- Text, not jsonb: what is signed is these bytes, and every attempt sends the same ones.
  body text not null,
  status text default 'pending' not null,
  -- Calls made in all rounds. A replay starts a new round, and the schedule from its beginning.
  attempts_made integer default 0 not null,
  round integer default 1 not null,
  attempts_before_round integer default 0 not null,
  created_at timestamptz default now() not null,
  delivered_at timestamptz,
  constraint deliveries_pkey primary key (id),
  constraint deliveries_account_id_fkey foreign key (account_id) references accounts(id),
  constraint deliveries_attempts_made_check check (attempts_made >= 0),
  constraint deliveries_check check ((attempts_before_round >= 0)
    and (attempts_before_round <= attempts_made)),
  constraint deliveries_check1 check ((status = 'pending')
    or (attempts_made > attempts_before_round)),
  constraint deliveries_check2 check ((status = 'delivered') = (delivered_at is not null)),
  constraint deliveries_id_check check (id ~ '^msg_[0-9a-v]{26}$'),
  constraint deliveries_mode_check check (mode in ('live', 'test')),
  constraint deliveries_round_check check (round >= 1),
  constraint deliveries_status_check check (status in ('pending', 'delivered', 'exhausted')),
  constraint deliveries_task_id_fkey foreign key (task_id) references tasks(id),
  constraint deliveries_task_id_key unique (task_id)
) with (fillfactor = 80);
create index deliveries_by_account on deliveries (account_id, id desc);
create index deliveries_by_status on deliveries (account_id, status, id desc);
-- Accounts have few test deliveries among many live ones.
create index deliveries_test on deliveries (account_id, id desc) where (mode = 'test');

create table call_attempts (
  delivery_id text collate "C" not null,
  number integer not null,
  round integer not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  answer_status integer,
  error text,
  answer_body text,
  constraint call_attempts_pkey primary key (delivery_id, number),
  constraint call_attempts_check check ((answer_status is null) = (error is not null)),
  constraint call_attempts_delivery_id_fkey foreign key (delivery_id) references deliveries(id),
  constraint call_attempts_duration_ms_check check (duration_ms >= 0),
  constraint call_attempts_number_check check (number >= 1),
  constraint call_attempts_round_check check (round >= 1)
);

create table account_activity (
  account_id uuid not null,
  available bigint default 0 not null,
  last_task_id text collate "C" default '' not null,
  constraint account_activity_pkey primary key (account_id)
);
create index account_activity_by_balance on account_activity (available, account_id);
create index account_activity_by_task on account_activity (last_task_id, account_id);

-- What an account may do only so often: guess codes, have calls made for a test.
create table account_windows (
  account_id uuid not null,
  purpose text not null,
  stamps timestamptz[] default '{}'::timestamptz[] not null,
  constraint account_windows_pkey primary key (account_id, purpose),
  constraint account_windows_account_id_fkey foreign key (account_id) references accounts(id),
  constraint account_windows_purpose_check check ((length(purpose) >= 1)
    and (length(purpose) <= 50))
);

-- How far the last sound check of the invariants came in tables that only grow.
create table audit_checkpoints (
  walk text not null,
  "position" text not null,
  checked_at timestamptz default now() not null,
  constraint audit_checkpoints_pkey primary key (walk),
  constraint audit_checkpoints_walk_check check ((length(walk) >= 1) and (length(walk) <= 100))
);

-- Below which live balance an account is notified.
create table balance_alerts (
  account_id uuid not null,
  threshold bigint not null,
  is_low boolean default false not null,
  constraint balance_alerts_pkey primary key (account_id),
  constraint balance_alerts_account_id_fkey foreign key (account_id) references accounts(id),
  constraint balance_alerts_threshold_check check (threshold > 0)
);

-- What was for sale when somebody went to pay. It is written before Stripe is asked, and holds the
-- price that the payment is judged by, whatever the configuration says later.
create table checkouts (
  id text not null,
  account_id uuid not null,
  pack text not null,
  credits bigint not null,
  price bigint not null,
  currency text not null,
  created_at timestamptz default now() not null,
  created_by text not null,
  session_id text,
  payment_id text,
  outcome text,
  settled_at timestamptz,
  noted_events text[] default '{}'::text[] not null,
  constraint checkouts_pkey primary key (id),
  constraint checkouts_account_id_fkey foreign key (account_id) references accounts(id),
  constraint checkouts_check check ((outcome is null) = (settled_at is null)),
  constraint checkouts_check1 check ((outcome is null) or (session_id is not null)),
  constraint checkouts_created_by_check check ((length(created_by) >= 1)
    and (length(created_by) <= 200)),
  constraint checkouts_credits_check check ((credits >= 1) and (credits <= 1000000000)),
  constraint checkouts_currency_check check (currency ~ '^[a-z]{3}$'),
  constraint checkouts_id_check check (id ~ '^checkout_[0-9a-hjkmnp-tv-z]{26}$'),
  constraint checkouts_outcome_check check (outcome in ('booked', 'unbooked')),
  constraint checkouts_pack_check check ((length(pack) >= 1) and (length(pack) <= 100)),
  constraint checkouts_payment_id_check check ((length(payment_id) >= 1)
    and (length(payment_id) <= 200)),
  constraint checkouts_payment_id_key unique (payment_id),
  constraint checkouts_price_check check (price > 0),
  constraint checkouts_session_id_check check ((length(session_id) >= 1)
    and (length(session_id) <= 200)),
  constraint checkouts_session_id_key unique (session_id)
);
create index checkouts_of_account on checkouts (account_id, created_at desc);

-- The people of the dashboard: who they are, where they may do what, how they come in.
create table people (
  id uuid not null,
  -- As the issuer named the person when the identity was linked; for display only.
  email text not null,
  -- Without regard to case: what is compared and unique.
  email_key text collate "C" not null,
  name text not null,
  -- Of the installation: may do everything.
  administrator boolean default false not null,
  -- Argon2id in PHC form.
  password_hash text,
  created_at timestamptz default now() not null,
  -- True to the minute.
  last_seen_at timestamptz,
  -- Since when the person can no longer sign in.
  closed_at timestamptz,
  constraint people_pkey primary key (id),
  constraint people_email_check check ((length(email) >= 3) and (length(email) <= 254)),
  constraint people_email_key_check check ((length(email_key) >= 3)
    and (length(email_key) <= 254)),
  constraint people_name_check check ((length(name) >= 1) and (length(name) <= 200)),
  constraint people_password_hash_check check (password_hash ~ '^\$argon2id\$v=19\$')
);
create index people_by_name on people ("left"(lower(name), 64) collate "C", id);
create index people_by_seen on people (coalesce(last_seen_at, to_timestamp((0)::float8)), id);
create index people_newest on people (created_at desc, id desc);
-- A closed person can be invited again under the same email address, as a new person: an address
-- belongs to one open person at most.
create unique index people_open_email on people (email_key) where (closed_at is null);
create index people_words on people using gin (search_words(((name || ' ') || email)));

-- A command line that asks for an API key until a member confirms it in the dashboard.
create table cli_logins (
  -- The SHA-256 of what only the command line knows, in hexadecimal.
  digest text collate "C" not null,
  -- What a person compares.
  letters text collate "C" not null,
  machine text not null,
  address text not null,
  created_at timestamptz default now() not null,
  expires_at timestamptz not null,
  -- Who confirmed it, for which account and mode; the person is null for the admin token.
  account_id uuid,
  mode text,
  confirmed_by text,
  confirmed_by_person uuid,
  -- Then the key was handed over, and the login is used up.
  collected_at timestamptz,
  constraint cli_logins_pkey primary key (digest),
  constraint cli_logins_account_id_fkey foreign key (account_id) references accounts(id),
  constraint cli_logins_address_check check (length(address) <= 100),
  constraint cli_logins_check check (((account_id is null) = (mode is null))
    and ((account_id is null) = (confirmed_by is null))),
  constraint cli_logins_check1 check ((collected_at is null) or (account_id is not null)),
  constraint cli_logins_confirmed_by_check check ((length(confirmed_by) >= 1)
    and (length(confirmed_by) <= 254)),
  constraint cli_logins_confirmed_by_person_fkey foreign key (confirmed_by_person)
    references people(id),
  constraint cli_logins_digest_check check (digest ~ '^[0-9a-f]{64}$'),
  constraint cli_logins_letters_check check (letters ~ '^[B-Z]{4}-[B-Z]{4}$'),
  constraint cli_logins_letters_key unique (letters),
  constraint cli_logins_machine_check check ((length(machine) >= 1) and (length(machine) <= 100)),
  constraint cli_logins_mode_check check (mode in ('live', 'test'))
);
create index cli_logins_by_age on cli_logins (expires_at);

-- Providers that administrators connect in the dashboard (docs/providers.md).
create table connected_providers (
  name text not null,
  -- As they were given, without the key.
  settings jsonb not null,
  created_at timestamptz default now() not null,
  created_by text not null,
  -- From then on it gets no new tasks. Deleted when its last task has ended.
  removed_at timestamptz,
  constraint connected_providers_pkey primary key (name),
  constraint connected_providers_created_by_check check ((length(created_by) >= 1)
    and (length(created_by) <= 254)),
  constraint connected_providers_name_check check (name ~ '^[a-z][a-z0-9-]{0,31}$')
);

-- Rate windows. Rows name a key but do not reference it: they outlive nothing and are swept.
-- The exact window of creates: when each counted request was admitted, oldest first, in
-- microseconds since 1970 by this database's clock; at most as many as the limit. Half of each page
-- stays free so that an update finds room beside the row it replaces and touches no index.
create table create_windows (
  key_id text collate "C" not null,
  stamps bigint[] default '{}'::bigint[] not null,
  constraint create_windows_pkey primary key (key_id),
  constraint create_windows_key_id_check check ((length(key_id) >= 1) and (length(key_id) <= 100))
) with (fillfactor = 50);

create table delivery_counts (
  id bigint generated always as identity not null,
  status text not null,
  deliveries bigint not null,
  constraint delivery_counts_pkey primary key (id)
);

-- A deleted task leaves `tasks` with everything that its customer sent and received. What the
-- ledger, usage and invariants need of it stays here, and never changes.
create table erased_tasks (
  id text collate "C" not null,
  account_id uuid not null,
  key_id text collate "C" not null,
  mode text not null,
  model text not null,
  resolution text not null,
  status text not null,
  billing_status text not null,
  credits bigint not null,
  created_at timestamptz not null,
  finished_at timestamptz not null,
  erased_at timestamptz default now() not null,
  constraint erased_tasks_pkey primary key (id),
  constraint erased_tasks_account_id_fkey foreign key (account_id) references accounts(id),
  constraint erased_tasks_billing_status_check check (billing_status in ('charged', 'refunded',
    'refund_failed')),
  constraint erased_tasks_credits_check check (credits > 0),
  constraint erased_tasks_id_check check (id ~ '^task_[0-9a-hjkmnp-tv-z]{26}$'),
  constraint erased_tasks_key_id_fkey foreign key (key_id) references api_keys(id),
  constraint erased_tasks_mode_check check (mode in ('live', 'test')),
  constraint erased_tasks_status_check check (status in ('completed', 'failed'))
);
create index erased_tasks_by_account on erased_tasks (account_id, mode, id);

-- Refunds and disputes that Stripe reported before their payment. They wait for it by its id, which
-- is all that such an event names for certain; those of other products are deleted after a while.
create table held_returns (
  event_id text not null,
  payment_id text not null,
  type text not null,
  received_at timestamptz default now() not null,
  constraint held_returns_pkey primary key (event_id),
  constraint held_returns_event_id_check check ((length(event_id) >= 1)
    and (length(event_id) <= 200)),
  constraint held_returns_payment_id_check check ((length(payment_id) >= 1)
    and (length(payment_id) <= 200)),
  constraint held_returns_type_check check ((length(type) >= 1) and (length(type) <= 100))
);
create index held_returns_of_payment on held_returns (payment_id);

create table idempotency_keys (
  account_id uuid not null,
  mode text not null,
  key text not null,
  request_digest text not null,
  task_id text collate "C" not null,
  credits bigint not null,
  created_at timestamptz default now() not null,
  constraint idempotency_keys_pkey primary key (account_id, mode, key),
  constraint idempotency_keys_account_id_fkey foreign key (account_id) references accounts(id),
  constraint idempotency_keys_key_check check ((length(key) >= 1) and (length(key) <= 255)),
  constraint idempotency_keys_mode_check check (mode in ('live', 'test'))
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

create table identities (
  issuer text collate "C" not null,
  subject text collate "C" not null,
  person_id uuid not null,
  email text,
  created_at timestamptz default now() not null,
  constraint identities_pkey primary key (issuer, subject),
  constraint identities_email_check check (length(email) <= 254),
  constraint identities_issuer_check check ((length(issuer) >= 1) and (length(issuer) <= 500)),
  constraint identities_person_id_fkey foreign key (person_id) references people(id),
  constraint identities_person_id_issuer_key unique (person_id, issuer),
  constraint identities_subject_check check ((length(subject) >= 1) and (length(subject) <= 255))
);

create table installation_days (
  day date not null,
  mode text not null,
  model text not null,
  outcome text not null,
  tasks bigint not null,
  credits bigint not null,
  constraint installation_days_pkey primary key (day, mode, model, outcome),
  constraint installation_days_credits_check check (credits >= 0),
  constraint installation_days_mode_check check (mode in ('live', 'test')),
  constraint installation_days_outcome_check check (outcome in ('completed', 'failed',
    'cancelled')),
  constraint installation_days_tasks_check check (tasks > 0)
);

create table installation_rollup (
  one boolean default true not null,
  until timestamptz not null,
  constraint installation_rollup_pkey primary key (one),
  constraint installation_rollup_one_check check (one)
);

create table installation_times (
  day date not null,
  mode text not null,
  bucket integer not null,
  tasks bigint not null,
  constraint installation_times_pkey primary key (day, mode, bucket),
  constraint installation_times_mode_check check (mode in ('live', 'test')),
  constraint installation_times_tasks_check check (tasks > 0)
);

-- Credits of the tasks that a key with a cap created in a period, without those that were refunded.
-- A period is named by its first day in UTC, and `total` by 1970-01-01. Written only while the
-- balance of the key's account and mode is locked.
create table key_spending (
  key_id text collate "C" not null,
  starts_on date not null,
  credits bigint not null,
  constraint key_spending_pkey primary key (key_id, starts_on),
  constraint key_spending_credits_check check (credits >= 0),
  constraint key_spending_key_id_fkey foreign key (key_id) references api_keys(id)
) with (fillfactor = 50);

create table ledger_days (
  day date not null,
  mode text not null,
  kind text not null,
  credits numeric not null,
  constraint ledger_days_pkey primary key (day, mode, kind),
  constraint ledger_days_mode_check check (mode in ('live', 'test'))
);

create table ledger_rollup (
  one boolean default true not null,
  "position" bigint not null,
  constraint ledger_rollup_pkey primary key (one),
  constraint ledger_rollup_one_check check (one)
);

-- Links that work once: they make an administrator or a member, or set a new password.
create table links (
  id uuid not null,
  digest text collate "C" not null,
  purpose text not null,
  account_id uuid,
  role text,
  -- Whose password it sets.
  person_id uuid,
  -- As the audit log names who made it, and the person, where it was one.
  made_by text not null,
  made_by_person uuid,
  created_at timestamptz default now() not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  revoked_at timestamptz,
  -- Wrong passwords given with a link. A link that has seen too many no longer works, so that its
  -- maker cannot try email addresses with it.
  failed_uses integer default 0 not null,
  invited_email text,
  invited_email_key text collate "C",
  constraint links_pkey primary key (id),
  constraint links_account_id_fkey foreign key (account_id) references accounts(id),
  constraint links_check check ((purpose = 'member') = (account_id is not null)),
  constraint links_check1 check ((purpose = 'member') = (role is not null)),
  constraint links_check2 check ((purpose = 'password') = (person_id is not null)),
  constraint links_check3 check ((used_at is null) or (revoked_at is null)),
  constraint links_digest_check check (digest ~ '^[0-9a-f]{64}$'),
  constraint links_digest_key unique (digest),
  constraint links_failed_uses_check check (failed_uses >= 0),
  constraint links_invited_email_check check (((length(invited_email) >= 3)
    and (length(invited_email) <= 254))),
  constraint links_made_by_check check ((length(made_by) >= 1) and (length(made_by) <= 254)),
  constraint links_made_by_person_fkey foreign key (made_by_person) references people(id),
  constraint links_person_id_fkey foreign key (person_id) references people(id),
  constraint links_purpose_check check (purpose in ('administrator', 'member', 'password')),
  constraint links_role_check check (role in ('owner', 'developer', 'viewer'))
);
create index links_by_invited_email on links (invited_email_key)
  where (invited_email_key is not null);
create index links_of_account on links (account_id, created_at desc, id desc)
  where (account_id is not null);

create table memberships (
  account_id uuid not null,
  person_id uuid not null,
  role text not null,
  created_at timestamptz default now() not null,
  constraint memberships_pkey primary key (account_id, person_id),
  constraint memberships_account_id_fkey foreign key (account_id) references accounts(id),
  constraint memberships_person_id_fkey foreign key (person_id) references people(id),
  constraint memberships_role_check check (role in ('owner', 'developer', 'viewer'))
);
create index memberships_of_person on memberships (person_id);

-- A condition that people must know of. One row is open for each condition, so it is reported once.
create table notices (
  id text collate "C" not null,
  kind text not null,
  account_id uuid,
  subject text collate "C" not null,
  detail jsonb not null,
  created_at timestamptz default now() not null,
  -- When the condition was last observed.
  seen_at timestamptz default now() not null,
  -- When mail and webhooks were written to the outbox.
  announced_at timestamptz,
  resolved_at timestamptz,
  constraint notices_pkey primary key (id),
  constraint notices_account_id_fkey foreign key (account_id) references accounts(id),
  constraint notices_detail_check check (jsonb_typeof(detail) = 'object'),
  constraint notices_id_check check (id ~ '^notice_[0-9a-v]{26}$'),
  constraint notices_kind_check check (kind in ('low_balance', 'refund_waiting',
    'provider_breaker_open', 'webhook_failing', 'key_cap_reached')),
  constraint notices_subject_check check (length(subject) <= 200)
);
create index notices_by_account on notices (account_id, id desc);
create unique index notices_open on notices (kind, account_id, subject) nulls not DISTINCT
  where (resolved_at is null);
create index notices_resolved on notices (resolved_at) where (resolved_at is not null);
create index notices_unannounced on notices (id) where (announced_at is null);

create table notice_dismissals (
  notice_id text collate "C" not null,
  person_id uuid not null,
  constraint notice_dismissals_pkey primary key (person_id, notice_id),
  constraint notice_dismissals_notice_id_fkey foreign key (notice_id)
    references notices(id) on delete cascade,
  constraint notice_dismissals_person_id_fkey foreign key (person_id) references people(id)
);
create index notice_dismissals_by_notice on notice_dismissals (notice_id);

-- Notices up to this ID are read.
create table notice_readings (
  person_id uuid not null,
  read_up_to text collate "C" not null,
  constraint notice_readings_pkey primary key (person_id),
  constraint notice_readings_person_id_fkey foreign key (person_id) references people(id),
  constraint notice_readings_read_up_to_check check (length(read_up_to) <= 100)
);

-- The audit log: who did what to which account, key, task or delivery.
create table audit_log (
  id bigint generated always as identity not null,
  at timestamptz default now() not null,
  actor text not null,
  action text not null,
  subject text not null,
  detail jsonb default '{}'::jsonb not null,
  account_id uuid,
  constraint audit_log_pkey primary key (id),
  constraint audit_log_action_check check ((length(action) >= 1)
    and (length(action) <= 100)),
  constraint audit_log_actor_check check ((length(actor) >= 1) and (length(actor) <= 254)),
  constraint audit_log_detail_check check (length((detail)::text) <= 20000),
  constraint audit_log_subject_check check ((length(subject) >= 1)
    and (length(subject) <= 200))
);
create index audit_log_by_time on audit_log (at);
create index audit_log_of_account on audit_log (account_id, id desc)
  where (account_id is not null);
create index audit_log_of_action on audit_log (action, id desc);
create index audit_log_of_actor on audit_log (actor, id desc);
create index audit_log_of_subject on audit_log (subject, id desc);

-- Mail and notice webhooks: written in the commit of their cause and sent by a worker. The content
-- is encrypted, since it may hold a one-time link, and is deleted once the message has ended.
create table outbox (
  id text collate "C" not null,
  channel text not null,
  kind text not null,
  recipient text not null,
  content bytea,
  -- The message is not sent once this link is no longer valid.
  link_id uuid,
  account_id uuid,
  status text default 'waiting' not null,
  -- Grows with every claim, and is required to record an outcome.
  attempts integer default 0 not null,
  run_at timestamptz default now() not null,
  last_error text,
  created_at timestamptz default now() not null,
  finished_at timestamptz,
  constraint outbox_pkey primary key (id),
  constraint outbox_account_id_fkey foreign key (account_id) references accounts(id),
  constraint outbox_attempts_check check (attempts >= 0),
  constraint outbox_channel_check check (channel in ('mail', 'webhook')),
  constraint outbox_check check ((status = 'waiting') = (finished_at is null)),
  constraint outbox_check1 check ((status = 'waiting') or (content is null)),
  constraint outbox_id_check check (id ~ '^(mail|msg)_[0-9a-v]{26}$'),
  constraint outbox_kind_check check ((length(kind) >= 1) and (length(kind) <= 50)),
  constraint outbox_last_error_check check (length(last_error) <= 500),
  constraint outbox_recipient_check check ((length(recipient) >= 1)
    and (length(recipient) <= 2048)),
  constraint outbox_status_check check (status in ('waiting', 'sent', 'failed', 'cancelled'))
);
create index outbox_by_account on outbox (account_id) where (account_id is not null);
create index outbox_due on outbox (channel, run_at) where (status = 'waiting');
create index outbox_failed on outbox (channel) where (status = 'failed');
create index outbox_finished on outbox (finished_at) where (finished_at is not null);

-- The processes on this database, what each of them can do, and when it last said so. A task whose
-- provider one process does not know is left to one that does, and processes that would store
-- results in different places do not start.
create table processes (
  id uuid not null,
  role text not null,
  providers text[] not null,
  routes jsonb not null,
  storage_id text,
  started_at timestamptz default now() not null,
  seen_at timestamptz default now() not null,
  -- What each process knows of its providers: breakers, counts and response times.
  health jsonb default '[]'::jsonb not null,
  constraint processes_pkey primary key (id),
  constraint processes_health_check check (jsonb_typeof(health) = 'array'),
  constraint processes_role_check check (role in ('all', 'api', 'worker')),
  constraint processes_routes_check check (jsonb_typeof(routes) = 'object')
);

-- The newest of a provider starts tasks; older ones finish the tasks that were started with them.
create table provider_credentials (
  -- What attempts store as their credential.
  id text collate "C" not null,
  provider text not null,
  -- Which key it is encrypted with, and the result: nonce, ciphertext and tag in base64.
  key_id text collate "C" not null,
  sealed text collate "C" not null,
  last_four text not null,
  created_at timestamptz default clock_timestamp() not null,
  constraint provider_credentials_pkey primary key (id),
  constraint provider_credentials_last_four_check check (length(last_four) <= 4),
  constraint provider_credentials_provider_fkey foreign key (provider)
    references connected_providers(name) on delete cascade
);
create index provider_credentials_by_provider on provider_credentials (provider);

create table provider_days (
  day date not null,
  provider text not null,
  outcome text not null,
  attempts bigint not null,
  constraint provider_days_pkey primary key (day, provider, outcome),
  constraint provider_days_attempts_check check (attempts > 0)
);

create table provider_routes (
  model text collate "C" not null,
  -- First choice first. Empty once the last one was removed: the model has no route of its own, but
  -- tasks that were created before were not meant for the preview.
  providers text[] not null,
  changed_at timestamptz default now() not null,
  constraint provider_routes_pkey primary key (model),
  constraint provider_routes_providers_check check (cardinality(providers) <= 16)
);

-- Test videos. A test is polled while an administrator watches it.
create table provider_tests (
  id text collate "C" not null,
  provider text not null,
  credential text collate "C",
  reference text collate "C" not null,
  generation jsonb not null,
  -- The provider's handle; null until it has accepted the test.
  operation text,
  state text default 'running' not null,
  progress float8,
  detail text,
  video_url text,
  created_at timestamptz default now() not null,
  created_by text not null,
  next_poll_at timestamptz default now() not null,
  ended_at timestamptz,
  constraint provider_tests_pkey primary key (id),
  constraint provider_tests_check check ((state = 'running') = (ended_at is null)),
  constraint provider_tests_check1 check ((state = 'completed') = (video_url is not null)),
  constraint provider_tests_created_by_check check ((length(created_by) >= 1)
    and (length(created_by) <= 254)),
  constraint provider_tests_progress_check check ((progress >= (0)::float8)
    and (progress <= (1)::float8)),
  constraint provider_tests_reference_key unique (reference),
  constraint provider_tests_state_check check (state in ('running', 'completed', 'failed'))
);
create index provider_tests_by_age on provider_tests (created_at);
-- One at a time for each provider: tests cost money.
create unique index provider_tests_running on provider_tests (provider) where (state = 'running');

-- Creates without an idempotency key whose connection broke before the response was written. The
-- next identical create gets the task.
create table undelivered_creates (
  task_id text collate "C" not null,
  key_id text collate "C" not null,
  request_digest text not null,
  undelivered_at timestamptz default now() not null,
  constraint undelivered_creates_pkey primary key (task_id)
);
create index undelivered_creates_by_key on undelivered_creates (key_id, request_digest);
create index undelivered_creates_by_age on undelivered_creates (undelivered_at);

create table recovery_codes (
  person_id uuid not null,
  digest text collate "C" not null,
  used_at timestamptz,
  constraint recovery_codes_pkey primary key (person_id, digest),
  constraint recovery_codes_digest_check check (digest ~ '^[0-9a-f]{64}$'),
  constraint recovery_codes_person_id_fkey foreign key (person_id) references people(id)
);

-- Credits that people add themselves: codes that an operator hands out, and payments by Stripe.
-- Only a digest of a code is kept: whoever reads this table can redeem nothing.
create table redemption_codes (
  id text not null,
  digest text not null,
  last_four text not null,
  amount bigint not null,
  mode text not null,
  note text not null,
  created_at timestamptz default now() not null,
  created_by text not null,
  expires_at timestamptz,
  redeemed_at timestamptz,
  account_id uuid,
  revoked_at timestamptz,
  constraint redemption_codes_pkey primary key (id),
  constraint redemption_codes_account_id_fkey foreign key (account_id) references accounts(id),
  constraint redemption_codes_amount_check check ((amount >= 1) and (amount <= 1000000000)),
  constraint redemption_codes_check check ((redeemed_at is null) = (account_id is null)),
  constraint redemption_codes_check1 check ((redeemed_at is null) or (revoked_at is null)),
  constraint redemption_codes_created_by_check check ((length(created_by) >= 1)
    and (length(created_by) <= 200)),
  constraint redemption_codes_digest_check check (digest ~ '^[0-9a-f]{64}$'),
  constraint redemption_codes_digest_key unique (digest),
  constraint redemption_codes_id_check check (id ~ '^code_[0-9a-hjkmnp-tv-z]{26}$'),
  constraint redemption_codes_last_four_check check (length(last_four) = 4),
  constraint redemption_codes_mode_check check (mode in ('live', 'test')),
  constraint redemption_codes_note_check check ((length(note) >= 1) and (length(note) <= 1000))
);
create index redemption_codes_by_amount on redemption_codes (amount, id);
create index redemption_codes_of_account on redemption_codes (account_id, id)
  where (account_id is not null);
create index redemption_codes_words on redemption_codes using gin (search_words(((((note || ' ')
  || last_four) || ' ') || created_by)));

-- Up to which ID the oldest rows of an account have been gone through, so that they are read once.
create table retention_positions (
  account_id uuid not null,
  part text not null,
  "position" text collate "C" default '' not null,
  constraint retention_positions_pkey primary key (account_id, part),
  constraint retention_positions_account_id_fkey foreign key (account_id) references accounts(id),
  constraint retention_positions_part_check check (part in ('prompts live', 'prompts test',
    'deliveries'))
);

create table second_factors (
  person_id uuid not null,
  secret bytea not null,
  enabled_at timestamptz,
  last_step bigint default 0 not null,
  constraint second_factors_pkey primary key (person_id),
  constraint second_factors_person_id_fkey foreign key (person_id) references people(id)
);

-- Only the SHA-256 of a token is here, in hexadecimal: who reads this table can sign in nowhere.
create table sessions (
  id uuid not null,
  person_id uuid not null,
  digest text collate "C" not null,
  -- The token before a rotation, for requests that were under way.
  previous_digest text collate "C",
  previous_until timestamptz,
  created_at timestamptz default now() not null,
  -- At most once a minute.
  last_used_at timestamptz default now() not null,
  expires_at timestamptz not null,
  -- When the password was last given.
  confirmed_at timestamptz default now() not null,
  address text not null,
  agent text not null,
  constraint sessions_pkey primary key (id),
  constraint sessions_address_check check (length(address) <= 100),
  constraint sessions_agent_check check (length(agent) <= 400),
  constraint sessions_check check ((previous_digest is null) = (previous_until is null)),
  constraint sessions_digest_check check (digest ~ '^[0-9a-f]{64}$'),
  constraint sessions_digest_key unique (digest),
  constraint sessions_person_id_fkey foreign key (person_id) references people(id),
  constraint sessions_previous_digest_check check (previous_digest ~ '^[0-9a-f]{64}$')
);
create index sessions_by_previous on sessions (previous_digest)
  where (previous_digest is not null);
create index sessions_of_person on sessions (person_id, created_at desc);

-- What an installation keeps about itself; `secret` is here unless VIDGEN_SECRET gives it.
create table settings (
  key text not null,
  value text not null,
  constraint settings_pkey primary key (key),
  constraint settings_key_check check ((length(key) >= 1) and (length(key) <= 100)),
  constraint settings_value_check check (length(value) <= 10000)
);

-- Wrong passwords lately, by person and by network: the next try waits.
create table sign_in_troubles (
  scope text collate "C" not null,
  tries integer not null,
  last_try_at timestamptz not null,
  blocked_until timestamptz not null,
  constraint sign_in_troubles_pkey primary key (scope),
  constraint sign_in_troubles_scope_check check ((length(scope) >= 1) and (length(scope) <= 100)),
  constraint sign_in_troubles_tries_check check (tries >= 1)
);
create index sign_in_troubles_by_age on sign_in_troubles (last_try_at);

-- What one process admitted of status queries since its round before: {"key_…": 12, …}. One row a
-- process a second while there is traffic; the other processes read it. A row that had to wait for
-- the database is told later than it was admitted.
create table status_rounds (
  process_id uuid not null,
  round bigint not null,
  admitted_at timestamptz not null,
  told_at timestamptz default clock_timestamp() not null,
  admitted jsonb not null,
  constraint status_rounds_pkey primary key (process_id, round),
  constraint status_rounds_admitted_check check (jsonb_typeof(admitted) = 'object'),
  constraint status_rounds_round_check check (round > 0)
);
create index status_rounds_told on status_rounds (told_at);

-- How many tasks and deliveries have which status, for metrics. Every statement that changes one
-- adds a row with the difference, in its own transaction: no row is waited for, and a count is the
-- sum of a few rows, which a sweep adds up from time to time.
create table task_counts (
  id bigint generated always as identity not null,
  status text not null,
  billing_status text not null,
  tasks bigint not null,
  constraint task_counts_pkey primary key (id)
);

-- One row per pair, so that a list filtered by a pair reads only its tasks, newest first. `pair` is
-- the beginning of a SHA-256: a pair can be longer than what an index holds well.
create table task_metadata (
  account_id uuid not null,
  mode text not null,
  pair bytea not null,
  task_id text collate "C" not null,
  constraint task_metadata_pkey primary key (account_id, mode, pair, task_id),
  constraint task_metadata_pair_check check (octet_length(pair) = 16)
);

create table task_search (
  task_id text collate "C" not null,
  words tsvector not null,
  constraint task_search_pkey primary key (task_id)
);
create index task_search_words on task_search using gin (words);

create table task_search_position (
  one boolean default true not null,
  "position" text collate "C" not null,
  constraint task_search_position_pkey primary key (one),
  constraint task_search_position_one_check check (one)
);

-- Usage of whole days in UTC, so that a month of an account with a million tasks is read from a few
-- rows. A day is added after its tasks are final, and then never changes.
create table usage_days (
  account_id uuid not null,
  mode text not null,
  day date not null,
  model text not null,
  resolution text not null,
  status text not null,
  key_id text collate "C" not null,
  tasks integer not null,
  -- Charged ones.
  credits bigint not null,
  seconds float8[] not null,
  constraint usage_days_pkey primary key (account_id, mode, day, model, resolution, status,
    key_id),
  constraint usage_days_account_id_fkey foreign key (account_id) references accounts(id),
  constraint usage_days_credits_check check (credits >= 0),
  constraint usage_days_key_id_fkey foreign key (key_id) references api_keys(id),
  constraint usage_days_mode_check check (mode in ('live', 'test')),
  constraint usage_days_status_check check (status in ('completed', 'failed')),
  constraint usage_days_tasks_check check (tasks > 0)
);

-- The days in `usage_days`: from midnight in UTC of `since` until that of `until`. One row.
create table usage_rollup (
  one boolean default true not null,
  since timestamptz not null,
  until timestamptz not null,
  constraint usage_rollup_pkey primary key (one),
  constraint usage_rollup_check check (until >= since),
  constraint usage_rollup_one_check check (one)
);

alter table balances add constraint balances_stand_in_last_entry foreign key (account_id, mode,
  last_entry, available, reserved, spent, suspended)
  references ledger_entries(account_id, mode, number, available_after, reserved_after,
  spent_after, suspended_after);

create function count_deliveries() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into delivery_counts (status, deliveries)
    select status, count(*) from new_rows group by 1;
  elsif tg_op = 'DELETE' then
    insert into delivery_counts (status, deliveries)
    select status, -count(*) from old_rows group by 1;
  else
    insert into delivery_counts (status, deliveries)
    select status, sum(n) from (
      select status, 1 as n from new_rows union all select status, -1 from old_rows
    ) changed group by 1 having sum(n) <> 0;
  end if;
  return null;
end $$;

create function count_tasks() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into task_counts (status, billing_status, tasks)
    select status, billing_status, count(*) from new_rows group by 1, 2;
  elsif tg_op = 'DELETE' then
    insert into task_counts (status, billing_status, tasks)
    select status, billing_status, -count(*) from old_rows group by 1, 2;
  else
    insert into task_counts (status, billing_status, tasks)
    select status, billing_status, sum(n) from (
      select status, billing_status, 1 as n from new_rows
      union all select status, billing_status, -1 from old_rows
    ) changed group by 1, 2 having sum(n) <> 0;
  end if;
  return null;
end $$;

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'audit_log is append-only' using errcode = 'restrict_violation';
end $$;

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'VG001';
end $$;

create function refuse_closed_accounts() returns trigger language plpgsql as $$
declare
  closed_account uuid;
begin
  select n.account_id into closed_account from new_rows n
  where n.kind in ('grant', 'deduct', 'reserve', 'refund')
    and (select b.closed from balances b where b.account_id = n.account_id and b.mode = n.mode)
  limit 1;
  if found then
    raise exception 'account % is closed', closed_account using errcode = 'VG002';
  end if;
  return null;
end $$;

create function refuse_code_change() returns trigger language plpgsql as $$
begin
  if old.redeemed_at is not null or old.revoked_at is not null
    or (old.id, old.digest, old.amount, old.mode, old.created_at)
      is distinct from (new.id, new.digest, new.amount, new.mode, new.created_at) then
    raise exception 'code % does not change any more', old.id using errcode = 'VG005';
  end if;
  return new;
end $$;

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

create trigger deliveries_counted_delete after delete on deliveries referencing old table as
  old_rows for each statement execute function count_deliveries();
create trigger deliveries_counted_insert after insert on deliveries referencing new table as
  new_rows for each statement execute function count_deliveries();
create trigger deliveries_counted_update after update on deliveries referencing old table as
  old_rows new table as new_rows for each statement execute function count_deliveries();
create trigger erased_tasks_append_only before delete or update
  or truncate on erased_tasks for each statement execute function refuse_change();
create trigger ledger_append_only before delete or update
  or truncate on ledger_entries for each statement execute function refuse_change();
create trigger ledger_open_account after insert on ledger_entries referencing new table as
  new_rows for each statement execute function refuse_closed_accounts();
create trigger ledger_settles_reservation before insert on ledger_entries for each row when
  ((new.kind in ('charge', 'refund', 'suspend'))) execute function require_reservation();
create trigger audit_log_append_only before delete or update
  or truncate on audit_log for each statement execute function
  refuse_audit_change();
create trigger redemption_codes_change before update on redemption_codes for each row execute
  function refuse_code_change();
create trigger tasks_counted_delete after delete on tasks referencing old table as old_rows for
  each statement execute function count_tasks();
create trigger tasks_counted_insert after insert on tasks referencing new table as new_rows for
  each statement execute function count_tasks();
create trigger tasks_counted_update after update on tasks referencing old table as old_rows new
  table as new_rows for each statement execute function count_tasks();
create trigger tasks_move before update on tasks for each row execute function
  refuse_illegal_move();

-- The next task, ledger entry and day that summaries begin with.
insert into usage_rollup (since, until)
  select day, day from (select date_trunc('day', now() - interval '1 day', 'UTC') as day) first;
insert into installation_rollup (until) select since from usage_rollup;
insert into task_search_position (position) values ('');
insert into ledger_rollup (position) values (0);
