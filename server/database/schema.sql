-- The schema that the migrations make, as the database describes it.
-- Written by `npm run schema`; do not edit.

create table account_activity (
  account_id uuid not null,
  available bigint default 0 not null,
  last_task_id text collate "C" default ''::text not null,
  constraint account_activity_pkey PRIMARY KEY (account_id)
);
CREATE INDEX account_activity_by_balance ON account_activity USING btree (available, account_id);
CREATE INDEX account_activity_by_task ON account_activity USING btree (last_task_id, account_id);

create table account_windows (
  account_id uuid not null,
  purpose text not null,
  stamps timestamp with time zone[] default '{}'::timestamp with time zone[] not null,
  constraint account_windows_pkey PRIMARY KEY (account_id, purpose),
  constraint account_windows_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint account_windows_purpose_check CHECK (((length(purpose) >= 1) AND (length(purpose) <= 50)))
);

create table accounts (
  id uuid not null,
  name text not null,
  demo boolean default false not null,
  webhook_secret text not null,
  previous_webhook_secret text,
  previous_secret_until timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  closed_at timestamp with time zone,
  webhook_url text,
  retention jsonb,
  erasure_started_at timestamp with time zone,
  erased_at timestamp with time zone,
  suspended_at timestamp with time zone,
  suspension_note text,
  creates_per_minute_max integer,
  running_tasks_max integer,
  price_percent numeric(5,2),
  prices jsonb,
  constraint accounts_pkey PRIMARY KEY (id),
  constraint accounts_check CHECK (((previous_webhook_secret IS NULL) = (previous_secret_until IS NULL))),
  constraint accounts_creates_per_minute_max_check CHECK ((creates_per_minute_max >= 0)),
  constraint accounts_erasure_check CHECK ((((erased_at IS NULL) OR (erasure_started_at IS NOT NULL)) AND ((erasure_started_at IS NULL) OR (closed_at IS NOT NULL)))),
  constraint accounts_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint accounts_previous_webhook_secret_check CHECK ((previous_webhook_secret ~ '^whsec_[A-Za-z0-9+/=]{32,88}$'::text)),
  constraint accounts_price_percent_check CHECK ((price_percent >= (0)::numeric)),
  constraint accounts_prices_check CHECK (((jsonb_typeof(prices) = 'object'::text) AND (octet_length((prices)::text) <= 20000))),
  constraint accounts_retention_check CHECK (((retention IS NULL) OR (jsonb_typeof(retention) = 'object'::text))),
  constraint accounts_running_tasks_max_check CHECK ((running_tasks_max >= 0)),
  constraint accounts_suspension_note_check CHECK (((length(suspension_note) >= 1) AND (length(suspension_note) <= 1000))),
  constraint accounts_webhook_secret_check CHECK ((webhook_secret ~ '^whsec_[A-Za-z0-9+/=]{32,88}$'::text)),
  constraint accounts_webhook_url_check CHECK (((length(webhook_url) >= 1) AND (length(webhook_url) <= 2048)))
);
CREATE INDEX accounts_by_name ON accounts USING btree ("left"(lower(name), 64) COLLATE "C", id);
CREATE INDEX accounts_closed ON accounts USING btree (created_at, id) WHERE (closed_at IS NOT NULL);
CREATE INDEX accounts_erasing ON accounts USING btree (id) WHERE ((erasure_started_at IS NOT NULL) AND (erased_at IS NULL));
CREATE INDEX accounts_newest ON accounts USING btree (created_at DESC, id DESC);
CREATE INDEX accounts_suspended ON accounts USING btree (created_at, id) WHERE (suspended_at IS NOT NULL);
CREATE INDEX accounts_words ON accounts USING gin (search_words(name));

create table api_keys (
  id text collate "C" not null,
  account_id uuid not null,
  mode text not null,
  name text not null,
  digest text collate "C" not null,
  prefix text not null,
  last_four text not null,
  permissions text[] not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  created_by text,
  playground boolean default false not null,
  spending_cap bigint,
  spending_period text,
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint api_keys_created_by_check CHECK (((length(created_by) >= 1) AND (length(created_by) <= 254))),
  constraint api_keys_digest_check CHECK ((digest ~ '^[0-9a-f]{64}$'::text)),
  constraint api_keys_digest_key UNIQUE (digest),
  constraint api_keys_id_check CHECK ((id ~ '^key_[0-9A-Za-z]{22}$'::text)),
  constraint api_keys_identity UNIQUE (id, account_id, mode),
  constraint api_keys_last_four_check CHECK ((length(last_four) = 4)),
  constraint api_keys_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint api_keys_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint api_keys_permissions_check CHECK (((permissions <@ ARRAY['videos:create'::text, 'tasks:read'::text, 'tasks:cancel'::text, 'tasks:delete'::text]) AND (cardinality(permissions) <= 4))),
  constraint api_keys_playground_stays CHECK (((NOT playground) OR ((revoked_at IS NULL) AND (expires_at IS NULL)))),
  constraint api_keys_prefix_check CHECK (((length(prefix) >= 1) AND (length(prefix) <= 20))),
  constraint api_keys_spending_cap_check CHECK ((spending_cap >= 0)),
  constraint api_keys_spending_check CHECK (((spending_cap IS NULL) = (spending_period IS NULL))),
  constraint api_keys_spending_period_check CHECK ((spending_period = ANY (ARRAY['day'::text, 'month'::text, 'total'::text])))
);
CREATE INDEX api_keys_of_account ON api_keys USING btree (account_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX api_keys_one_playground ON api_keys USING btree (account_id, mode) WHERE playground;

create table attempts (
  task_id text collate "C" not null,
  number integer not null,
  provider text not null,
  reference text not null,
  operation text,
  unanswered boolean default true not null,
  asked_at timestamp with time zone default now() not null,
  outcome text,
  loss text,
  detail text,
  started_at timestamp with time zone default now() not null,
  accepted_at timestamp with time zone,
  ended_at timestamp with time zone,
  output_seconds real,
  credential text,
  stop_asked_at timestamp with time zone,
  uncollected integer default 0 not null,
  stop_unconfirmed_at timestamp with time zone,
  stop_wanted boolean default false not null,
  cost_micros bigint,
  cost_source text,
  cost_bill text,
  constraint attempts_pkey PRIMARY KEY (task_id, number),
  constraint attempts_check CHECK (((outcome IS NULL) = (ended_at IS NULL))),
  constraint attempts_cost_check CHECK (((cost_micros IS NULL) = (cost_source IS NULL))) NOT VALID,
  constraint attempts_cost_micros_check CHECK ((cost_micros >= 0)) NOT VALID,
  constraint attempts_cost_source_check CHECK ((cost_source = ANY (ARRAY['reported'::text, 'rule'::text, 'bill'::text]))) NOT VALID,
  constraint attempts_number_check CHECK ((number >= 1)),
  constraint attempts_outcome_check CHECK ((outcome = ANY (ARRAY['throttled'::text, 'refused'::text, 'completed'::text, 'failed'::text, 'lost'::text, 'cancelled'::text, 'timed_out'::text, 'abandoned'::text]))),
  constraint attempts_reference_key UNIQUE (reference)
);
CREATE INDEX attempts_by_operation ON attempts USING btree (provider, operation) WHERE (operation IS NOT NULL);
CREATE INDEX attempts_by_provider ON attempts USING btree (provider, task_id DESC);
CREATE UNIQUE INDEX attempts_one_open ON attempts USING btree (task_id) WHERE (outcome IS NULL);
CREATE INDEX attempts_open_by_provider ON attempts USING btree (provider) WHERE (outcome IS NULL);

create table audit_checkpoints (
  walk text not null,
  "position" text not null,
  checked_at timestamp with time zone default now() not null,
  constraint audit_checkpoints_pkey PRIMARY KEY (walk),
  constraint audit_checkpoints_walk_check CHECK (((length(walk) >= 1) AND (length(walk) <= 100)))
);

create table audit_log (
  id bigint generated always as identity not null,
  at timestamp with time zone default now() not null,
  actor text not null,
  action text not null,
  subject text not null,
  detail jsonb default '{}'::jsonb not null,
  account_id uuid,
  constraint audit_log_pkey PRIMARY KEY (id),
  constraint audit_log_action_check CHECK (((length(action) >= 1) AND (length(action) <= 100))),
  constraint audit_log_actor_check CHECK (((length(actor) >= 1) AND (length(actor) <= 254))),
  constraint audit_log_detail_check CHECK ((length((detail)::text) <= 20000)),
  constraint audit_log_subject_check CHECK (((length(subject) >= 1) AND (length(subject) <= 200)))
);
CREATE INDEX audit_log_by_time ON audit_log USING btree (at);
CREATE INDEX audit_log_of_account ON audit_log USING btree (account_id, id DESC) WHERE (account_id IS NOT NULL);
CREATE INDEX audit_log_of_action ON audit_log USING btree (action, id DESC);
CREATE INDEX audit_log_of_actor ON audit_log USING btree (actor, id DESC);
CREATE INDEX audit_log_of_subject ON audit_log USING btree (subject, id DESC);

create table balance_alerts (
  account_id uuid not null,
  threshold bigint not null,
  is_low boolean default false not null,
  constraint balance_alerts_pkey PRIMARY KEY (account_id),
  constraint balance_alerts_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint balance_alerts_threshold_check CHECK ((threshold > 0))
);

create table balances (
  account_id uuid not null,
  mode text not null,
  available bigint default 0 not null,
  reserved bigint default 0 not null,
  spent bigint default 0 not null,
  suspended bigint default 0 not null,
  granted bigint default 0 not null,
  last_entry bigint,
  closed boolean default false not null,
  constraint balances_pkey PRIMARY KEY (account_id, mode),
  constraint balances_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint balances_available_check CHECK ((available >= 0)),
  constraint balances_check CHECK ((granted = (((available + reserved) + spent) + suspended))),
  constraint balances_check1 CHECK (((last_entry IS NOT NULL) OR (granted = 0))),
  constraint balances_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint balances_reserved_check CHECK ((reserved >= 0)),
  constraint balances_spent_check CHECK ((spent >= 0)),
  constraint balances_stand_in_last_entry FOREIGN KEY (account_id, mode, last_entry, available, reserved, spent, suspended) REFERENCES ledger_entries(account_id, mode, number, available_after, reserved_after, spent_after, suspended_after),
  constraint balances_suspended_check CHECK ((suspended >= 0))
);

create table bill_rows (
  bill_id uuid not null,
  line bigint not null,
  operation text collate "C" not null,
  kind text not null,
  task_id text collate "C",
  number integer,
  billed_micros bigint,
  expected_micros bigint,
  received_at timestamp with time zone default now() not null,
  constraint bill_rows_pkey PRIMARY KEY (bill_id, line),
  constraint bill_rows_kind_check CHECK ((kind = ANY (ARRAY['matched'::text, 'differs'::text, 'not_ours'::text, 'not_billed'::text, 'twice'::text])))
);
CREATE INDEX bill_rows_by_operation ON bill_rows USING btree (bill_id, operation);

create table call_attempts (
  delivery_id text collate "C" not null,
  number integer not null,
  round integer not null,
  started_at timestamp with time zone not null,
  duration_ms integer not null,
  answer_status integer,
  error text,
  answer_body text,
  signed_headers jsonb,
  constraint call_attempts_pkey PRIMARY KEY (delivery_id, number),
  constraint call_attempts_check CHECK (((answer_status IS NULL) = (error IS NOT NULL))),
  constraint call_attempts_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES deliveries(id),
  constraint call_attempts_duration_ms_check CHECK ((duration_ms >= 0)),
  constraint call_attempts_number_check CHECK ((number >= 1)),
  constraint call_attempts_round_check CHECK ((round >= 1))
);

create table checkouts (
  id text not null,
  account_id uuid not null,
  pack text not null,
  credits bigint not null,
  price bigint not null,
  currency text not null,
  created_at timestamp with time zone default now() not null,
  created_by text not null,
  session_id text,
  payment_id text,
  outcome text,
  settled_at timestamp with time zone,
  noted_events text[] default '{}'::text[] not null,
  constraint checkouts_pkey PRIMARY KEY (id),
  constraint checkouts_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint checkouts_check CHECK (((outcome IS NULL) = (settled_at IS NULL))),
  constraint checkouts_check1 CHECK (((outcome IS NULL) OR (session_id IS NOT NULL))),
  constraint checkouts_created_by_check CHECK (((length(created_by) >= 1) AND (length(created_by) <= 200))),
  constraint checkouts_credits_check CHECK (((credits >= 1) AND (credits <= 1000000000))),
  constraint checkouts_currency_check CHECK ((currency ~ '^[a-z]{3}$'::text)),
  constraint checkouts_id_check CHECK ((id ~ '^checkout_[0-9a-hjkmnp-tv-z]{26}$'::text)),
  constraint checkouts_outcome_check CHECK ((outcome = ANY (ARRAY['booked'::text, 'unbooked'::text]))),
  constraint checkouts_pack_check CHECK (((length(pack) >= 1) AND (length(pack) <= 100))),
  constraint checkouts_payment_id_check CHECK (((length(payment_id) >= 1) AND (length(payment_id) <= 200))),
  constraint checkouts_payment_id_key UNIQUE (payment_id),
  constraint checkouts_price_check CHECK ((price > 0)),
  constraint checkouts_session_id_check CHECK (((length(session_id) >= 1) AND (length(session_id) <= 200))),
  constraint checkouts_session_id_key UNIQUE (session_id)
);
CREATE INDEX checkouts_of_account ON checkouts USING btree (account_id, created_at DESC);

create table cli_logins (
  digest text collate "C" not null,
  letters text collate "C" not null,
  machine text not null,
  address text not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone not null,
  account_id uuid,
  mode text,
  confirmed_by text,
  confirmed_by_person uuid,
  collected_at timestamp with time zone,
  constraint cli_logins_pkey PRIMARY KEY (digest),
  constraint cli_logins_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint cli_logins_address_check CHECK ((length(address) <= 100)),
  constraint cli_logins_check CHECK ((((account_id IS NULL) = (mode IS NULL)) AND ((account_id IS NULL) = (confirmed_by IS NULL)))),
  constraint cli_logins_check1 CHECK (((collected_at IS NULL) OR (account_id IS NOT NULL))),
  constraint cli_logins_confirmed_by_check CHECK (((length(confirmed_by) >= 1) AND (length(confirmed_by) <= 254))),
  constraint cli_logins_confirmed_by_person_fkey FOREIGN KEY (confirmed_by_person) REFERENCES people(id),
  constraint cli_logins_digest_check CHECK ((digest ~ '^[0-9a-f]{64}$'::text)),
  constraint cli_logins_letters_check CHECK ((letters ~ '^[B-Z]{4}-[B-Z]{4}$'::text)),
  constraint cli_logins_letters_key UNIQUE (letters),
  constraint cli_logins_machine_check CHECK (((length(machine) >= 1) AND (length(machine) <= 100))),
  constraint cli_logins_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text])))
);
CREATE INDEX cli_logins_by_age ON cli_logins USING btree (expires_at);

create table connected_providers (
  name text not null,
  settings jsonb not null,
  created_at timestamp with time zone default now() not null,
  created_by text not null,
  removed_at timestamp with time zone,
  version integer default 1 not null,
  constraint connected_providers_pkey PRIMARY KEY (name),
  constraint connected_providers_created_by_check CHECK (((length(created_by) >= 1) AND (length(created_by) <= 254))),
  constraint connected_providers_name_check CHECK ((name ~ '^[a-z][a-z0-9-]{0,31}$'::text))
);

create table create_windows (
  key_id text collate "C" not null,
  stamps bigint[] default '{}'::bigint[] not null,
  constraint create_windows_pkey PRIMARY KEY (key_id),
  constraint create_windows_key_id_check CHECK (((length(key_id) >= 1) AND (length(key_id) <= 100)))
);

create table credit_values (
  since timestamp with time zone not null,
  micros bigint not null,
  constraint credit_values_pkey PRIMARY KEY (since),
  constraint credit_values_micros_check CHECK ((micros >= 0))
);

create table deliveries (
  id text collate "C" not null,
  account_id uuid not null,
  task_id text collate "C" not null,
  mode text not null,
  url text not null,
  body text not null,
  status text default 'pending'::text not null,
  attempts_made integer default 0 not null,
  round integer default 1 not null,
  attempts_before_round integer default 0 not null,
  created_at timestamp with time zone default now() not null,
  delivered_at timestamp with time zone,
  constraint deliveries_pkey PRIMARY KEY (id),
  constraint deliveries_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint deliveries_attempts_made_check CHECK ((attempts_made >= 0)),
  constraint deliveries_check CHECK (((attempts_before_round >= 0) AND (attempts_before_round <= attempts_made))),
  constraint deliveries_check1 CHECK (((status = 'pending'::text) OR (attempts_made > attempts_before_round))),
  constraint deliveries_check2 CHECK (((status = 'delivered'::text) = (delivered_at IS NOT NULL))),
  constraint deliveries_id_check CHECK ((id ~ '^msg_[0-9a-v]{26}$'::text)),
  constraint deliveries_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint deliveries_round_check CHECK ((round >= 1)),
  constraint deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'exhausted'::text]))),
  constraint deliveries_task_id_fkey FOREIGN KEY (task_id) REFERENCES tasks(id),
  constraint deliveries_task_id_key UNIQUE (task_id)
);
CREATE INDEX deliveries_by_account ON deliveries USING btree (account_id, id DESC);
CREATE INDEX deliveries_by_status ON deliveries USING btree (account_id, status, id DESC);
CREATE INDEX deliveries_test ON deliveries USING btree (account_id, id DESC) WHERE (mode = 'test'::text);

create table delivery_counts (
  id bigint generated always as identity not null,
  status text not null,
  deliveries bigint not null,
  constraint delivery_counts_pkey PRIMARY KEY (id)
);

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
  created_at timestamp with time zone not null,
  finished_at timestamp with time zone not null,
  erased_at timestamp with time zone default now() not null,
  constraint erased_tasks_pkey PRIMARY KEY (id),
  constraint erased_tasks_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint erased_tasks_billing_status_check CHECK ((billing_status = ANY (ARRAY['charged'::text, 'refunded'::text, 'refund_failed'::text]))),
  constraint erased_tasks_credits_check CHECK ((credits > 0)),
  constraint erased_tasks_id_check CHECK ((id ~ '^task_[0-9a-hjkmnp-tv-z]{26}$'::text)),
  constraint erased_tasks_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys(id),
  constraint erased_tasks_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint erased_tasks_status_check CHECK ((status = ANY (ARRAY['completed'::text, 'failed'::text])))
);
CREATE INDEX erased_tasks_by_account ON erased_tasks USING btree (account_id, mode, id);

create table held_returns (
  event_id text not null,
  payment_id text not null,
  type text not null,
  received_at timestamp with time zone default now() not null,
  constraint held_returns_pkey PRIMARY KEY (event_id),
  constraint held_returns_event_id_check CHECK (((length(event_id) >= 1) AND (length(event_id) <= 200))),
  constraint held_returns_payment_id_check CHECK (((length(payment_id) >= 1) AND (length(payment_id) <= 200))),
  constraint held_returns_type_check CHECK (((length(type) >= 1) AND (length(type) <= 100)))
);
CREATE INDEX held_returns_of_payment ON held_returns USING btree (payment_id);

create table idempotency_keys (
  account_id uuid not null,
  mode text not null,
  key text not null,
  request_digest text not null,
  task_id text collate "C" not null,
  credits bigint not null,
  created_at timestamp with time zone default now() not null,
  constraint idempotency_keys_pkey PRIMARY KEY (account_id, mode, key),
  constraint idempotency_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint idempotency_keys_key_check CHECK (((length(key) >= 1) AND (length(key) <= 255))),
  constraint idempotency_keys_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text])))
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys USING btree (created_at);

create table identities (
  issuer text collate "C" not null,
  subject text collate "C" not null,
  person_id uuid not null,
  email text,
  created_at timestamp with time zone default now() not null,
  constraint identities_pkey PRIMARY KEY (issuer, subject),
  constraint identities_email_check CHECK ((length(email) <= 254)),
  constraint identities_issuer_check CHECK (((length(issuer) >= 1) AND (length(issuer) <= 500))),
  constraint identities_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id),
  constraint identities_person_id_issuer_key UNIQUE (person_id, issuer),
  constraint identities_subject_check CHECK (((length(subject) >= 1) AND (length(subject) <= 255)))
);

create table installation_days (
  day date not null,
  mode text not null,
  model text not null,
  outcome text not null,
  tasks bigint not null,
  credits bigint not null,
  constraint installation_days_pkey PRIMARY KEY (day, mode, model, outcome),
  constraint installation_days_credits_check CHECK ((credits >= 0)),
  constraint installation_days_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint installation_days_outcome_check CHECK ((outcome = ANY (ARRAY['completed'::text, 'failed'::text, 'cancelled'::text]))),
  constraint installation_days_tasks_check CHECK ((tasks > 0))
);

create table installation_rollup (
  one boolean default true not null,
  until timestamp with time zone not null,
  constraint installation_rollup_pkey PRIMARY KEY (one),
  constraint installation_rollup_one_check CHECK (one)
);

create table installation_times (
  day date not null,
  mode text not null,
  bucket integer not null,
  tasks bigint not null,
  constraint installation_times_pkey PRIMARY KEY (day, mode, bucket),
  constraint installation_times_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint installation_times_tasks_check CHECK ((tasks > 0))
);

create table jobs (
  id bigint generated always as identity not null,
  kind text not null,
  queue text not null,
  account_id uuid not null,
  task_id text collate "C" not null,
  delivery_id text collate "C",
  run_at timestamp with time zone default now() not null,
  ready boolean default true not null,
  lease_owner text,
  lease_until timestamp with time zone,
  fence bigint default 0 not null,
  attempts integer default 0 not null,
  crash_count integer default 0 not null,
  last_error text,
  created_at timestamp with time zone default now() not null,
  receiver smallint default 0 not null,
  waits_for text[],
  constraint jobs_pkey PRIMARY KEY (id),
  constraint jobs_check CHECK (((lease_owner IS NULL) = (lease_until IS NULL))),
  constraint jobs_check1 CHECK (((kind = 'notify'::text) = (delivery_id IS NOT NULL))),
  constraint jobs_kind_check CHECK ((kind = ANY (ARRAY['submit'::text, 'poll'::text, 'notify'::text, 'expire'::text]))),
  constraint jobs_queue_check CHECK ((queue = ANY (ARRAY['default'::text, 'polls'::text, 'webhooks'::text])))
);
CREATE INDEX jobs_for_capacity ON jobs USING btree (waits_for, account_id, task_id) WHERE ((kind <> 'poll'::text) AND (waits_for IS NOT NULL) AND (ready IS NOT TRUE) AND (lease_until IS NULL));
CREATE INDEX jobs_isolated ON jobs USING btree (queue, run_at) WHERE (ready AND (lease_until IS NULL) AND (crash_count >= 2));
CREATE INDEX jobs_lease_end ON jobs USING btree (lease_until) WHERE (lease_until IS NOT NULL);
CREATE INDEX jobs_leased ON jobs USING btree (queue, account_id, receiver) WHERE (lease_until IS NOT NULL);
CREATE UNIQUE INDEX jobs_one_call ON jobs USING btree (delivery_id) WHERE (kind = 'notify'::text);
CREATE UNIQUE INDEX jobs_one_expire ON jobs USING btree (task_id) WHERE (kind = 'expire'::text);
CREATE UNIQUE INDEX jobs_one_work ON jobs USING btree (task_id) WHERE (kind = ANY (ARRAY['submit'::text, 'poll'::text]));
CREATE INDEX jobs_ready ON jobs USING btree (queue, account_id, receiver, run_at, id) WHERE (ready AND (lease_until IS NULL));
CREATE INDEX jobs_scheduled ON jobs USING btree (run_at) WHERE ((NOT ready) AND (lease_until IS NULL));

create table key_spending (
  key_id text collate "C" not null,
  starts_on date not null,
  credits bigint not null,
  constraint key_spending_pkey PRIMARY KEY (key_id, starts_on),
  constraint key_spending_credits_check CHECK ((credits >= 0)),
  constraint key_spending_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys(id)
);

create table ledger_days (
  day date not null,
  mode text not null,
  kind text not null,
  credits numeric not null,
  constraint ledger_days_pkey PRIMARY KEY (day, mode, kind),
  constraint ledger_days_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text])))
);

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
  created_at timestamp with time zone default now() not null,
  constraint ledger_entries_pkey PRIMARY KEY (id),
  constraint ledger_entries_account_id_mode_fkey FOREIGN KEY (account_id, mode) REFERENCES balances(account_id, mode),
  constraint ledger_entries_amount_check CHECK ((amount > 0)),
  constraint ledger_entries_available_after_check CHECK ((available_after >= 0)),
  constraint ledger_entries_deduct_note_check CHECK (((kind <> 'deduct'::text) OR (note IS NOT NULL))),
  constraint ledger_entries_note_check CHECK ((length(note) <= 1000)),
  constraint ledger_entries_number_check CHECK ((number >= 1)),
  constraint ledger_entries_reference_check CHECK (((length(reference) >= 1) AND (length(reference) <= 255))),
  constraint ledger_entries_reserved_after_check CHECK ((reserved_after >= 0)),
  constraint ledger_entries_spent_after_check CHECK ((spent_after >= 0)),
  constraint ledger_entries_suspended_after_check CHECK ((suspended_after >= 0)),
  constraint ledger_entries_task_check CHECK (((kind = ANY (ARRAY['grant'::text, 'deduct'::text])) = (task_id IS NULL))),
  constraint ledger_entries_transfer_check CHECK ((((kind = 'grant'::text) AND (source = 'outside'::text) AND (target = 'available'::text)) OR ((kind = 'deduct'::text) AND (source = 'available'::text) AND (target = 'outside'::text)) OR ((kind = 'reserve'::text) AND (source = 'available'::text) AND (target = 'reserved'::text)) OR ((kind = 'charge'::text) AND (source = 'reserved'::text) AND (target = 'spent'::text)) OR ((kind = 'refund'::text) AND (source = 'reserved'::text) AND (target = 'available'::text)) OR ((kind = 'suspend'::text) AND (source = 'reserved'::text) AND (target = 'suspended'::text)) OR ((kind = 'release'::text) AND (source = 'suspended'::text) AND (target = 'available'::text))))
);
CREATE INDEX ledger_by_mode ON ledger_entries USING btree (account_id, mode, id DESC);
CREATE INDEX ledger_deductions ON ledger_entries USING btree (account_id, mode, kind, id DESC) WHERE (kind = 'deduct'::text);
CREATE UNIQUE INDEX ledger_entries_number ON ledger_entries USING btree (account_id, mode, number);
CREATE UNIQUE INDEX ledger_entries_state ON ledger_entries USING btree (account_id, mode, number, available_after, reserved_after, spent_after, suspended_after);
CREATE UNIQUE INDEX ledger_one_reference ON ledger_entries USING btree (account_id, mode, reference) WHERE (reference IS NOT NULL);
CREATE UNIQUE INDEX ledger_one_release ON ledger_entries USING btree (task_id) WHERE (kind = 'release'::text);
CREATE UNIQUE INDEX ledger_one_reservation ON ledger_entries USING btree (task_id) WHERE (kind = 'reserve'::text);
CREATE UNIQUE INDEX ledger_one_settlement ON ledger_entries USING btree (task_id) WHERE (kind = ANY (ARRAY['charge'::text, 'refund'::text, 'suspend'::text]));
CREATE INDEX ledger_rare_entries ON ledger_entries USING btree (account_id, mode, kind, id DESC) WHERE (kind = ANY (ARRAY['grant'::text, 'refund'::text, 'suspend'::text, 'release'::text]));

create table ledger_rollup (
  one boolean default true not null,
  "position" bigint not null,
  constraint ledger_rollup_pkey PRIMARY KEY (one),
  constraint ledger_rollup_one_check CHECK (one)
);

create table links (
  id uuid not null,
  digest text collate "C" not null,
  purpose text not null,
  account_id uuid,
  role text,
  person_id uuid,
  made_by text not null,
  made_by_person uuid,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  failed_uses integer default 0 not null,
  invited_email text,
  invited_email_key text collate "C",
  constraint links_pkey PRIMARY KEY (id),
  constraint links_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint links_check CHECK (((purpose = 'member'::text) = (account_id IS NOT NULL))),
  constraint links_check1 CHECK (((purpose = 'member'::text) = (role IS NOT NULL))),
  constraint links_check2 CHECK (((purpose = 'password'::text) = (person_id IS NOT NULL))),
  constraint links_check3 CHECK (((used_at IS NULL) OR (revoked_at IS NULL))),
  constraint links_digest_check CHECK ((digest ~ '^[0-9a-f]{64}$'::text)),
  constraint links_digest_key UNIQUE (digest),
  constraint links_failed_uses_check CHECK ((failed_uses >= 0)),
  constraint links_invited_email_check CHECK (((length(invited_email) >= 3) AND (length(invited_email) <= 254))),
  constraint links_made_by_check CHECK (((length(made_by) >= 1) AND (length(made_by) <= 254))),
  constraint links_made_by_person_fkey FOREIGN KEY (made_by_person) REFERENCES people(id),
  constraint links_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id),
  constraint links_purpose_check CHECK ((purpose = ANY (ARRAY['administrator'::text, 'member'::text, 'password'::text]))),
  constraint links_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'developer'::text, 'viewer'::text])))
);
CREATE INDEX links_by_invited_email ON links USING btree (invited_email_key) WHERE (invited_email_key IS NOT NULL);
CREATE INDEX links_of_account ON links USING btree (account_id, created_at DESC, id DESC) WHERE (account_id IS NOT NULL);

create table margin_days (
  day date not null,
  account_id uuid not null,
  model text not null,
  provider text not null,
  tasks bigint not null,
  credits bigint not null,
  attempts bigint not null,
  cost_micros bigint not null,
  cost_unknown bigint not null,
  revenue_micros bigint,
  constraint margin_days_pkey PRIMARY KEY (day, account_id, model, provider),
  constraint margin_days_check CHECK (((cost_unknown >= 0) AND (cost_unknown <= attempts) AND (tasks <= attempts) AND (credits >= 0) AND (cost_micros >= 0)))
);

create table memberships (
  account_id uuid not null,
  person_id uuid not null,
  role text not null,
  created_at timestamp with time zone default now() not null,
  constraint memberships_pkey PRIMARY KEY (account_id, person_id),
  constraint memberships_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint memberships_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id),
  constraint memberships_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'developer'::text, 'viewer'::text])))
);
CREATE INDEX memberships_of_person ON memberships USING btree (person_id);

create table migrations (
  name text not null,
  digest text not null,
  applied_at timestamp with time zone default now() not null,
  constraint migrations_pkey PRIMARY KEY (name)
);

create table models (
  name text collate "C" not null,
  declaration jsonb not null,
  created_by text not null,
  changed_at timestamp with time zone default now() not null,
  constraint models_pkey PRIMARY KEY (name),
  constraint models_created_by_check CHECK (((length(created_by) >= 1) AND (length(created_by) <= 254))),
  constraint models_declaration_check CHECK (((jsonb_typeof(declaration) = 'object'::text) AND (octet_length((declaration)::text) <= 20000))),
  constraint models_name_check CHECK ((name ~ '^[a-z0-9][a-z0-9._-]{0,63}(/[a-z0-9][a-z0-9._-]{0,63})?$'::text))
);

create table notice_dismissals (
  notice_id text collate "C" not null,
  person_id uuid not null,
  constraint notice_dismissals_pkey PRIMARY KEY (person_id, notice_id),
  constraint notice_dismissals_notice_id_fkey FOREIGN KEY (notice_id) REFERENCES notices(id) ON DELETE CASCADE,
  constraint notice_dismissals_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id)
);
CREATE INDEX notice_dismissals_by_notice ON notice_dismissals USING btree (notice_id);

create table notice_readings (
  person_id uuid not null,
  read_up_to text collate "C" not null,
  constraint notice_readings_pkey PRIMARY KEY (person_id),
  constraint notice_readings_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id),
  constraint notice_readings_read_up_to_check CHECK ((length(read_up_to) <= 100))
);

create table notices (
  id text collate "C" not null,
  kind text not null,
  account_id uuid,
  subject text collate "C" not null,
  detail jsonb not null,
  created_at timestamp with time zone default now() not null,
  seen_at timestamp with time zone default now() not null,
  announced_at timestamp with time zone,
  resolved_at timestamp with time zone,
  constraint notices_pkey PRIMARY KEY (id),
  constraint notices_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint notices_detail_check CHECK ((jsonb_typeof(detail) = 'object'::text)),
  constraint notices_id_check CHECK ((id ~ '^notice_[0-9a-v]{26}$'::text)),
  constraint notices_kind_check CHECK ((kind = ANY (ARRAY['low_balance'::text, 'refund_waiting'::text, 'provider_breaker_open'::text, 'webhook_failing'::text, 'key_cap_reached'::text, 'negative_margin'::text, 'cost_unknown'::text, 'bill_differs'::text, 'model_retires'::text, 'canary_failed'::text]))) NOT VALID,
  constraint notices_subject_check CHECK ((length(subject) <= 200))
);
CREATE INDEX notices_by_account ON notices USING btree (account_id, id DESC);
CREATE UNIQUE INDEX notices_open ON notices USING btree (kind, account_id, subject) NULLS NOT DISTINCT WHERE (resolved_at IS NULL);
CREATE INDEX notices_resolved ON notices USING btree (resolved_at) WHERE (resolved_at IS NOT NULL);
CREATE INDEX notices_unannounced ON notices USING btree (id) WHERE (announced_at IS NULL);

create table outbox (
  id text collate "C" not null,
  channel text not null,
  kind text not null,
  recipient text not null,
  content bytea,
  link_id uuid,
  account_id uuid,
  status text default 'waiting'::text not null,
  attempts integer default 0 not null,
  run_at timestamp with time zone default now() not null,
  last_error text,
  created_at timestamp with time zone default now() not null,
  finished_at timestamp with time zone,
  constraint outbox_pkey PRIMARY KEY (id),
  constraint outbox_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint outbox_attempts_check CHECK ((attempts >= 0)),
  constraint outbox_channel_check CHECK ((channel = ANY (ARRAY['mail'::text, 'webhook'::text]))),
  constraint outbox_check CHECK (((status = 'waiting'::text) = (finished_at IS NULL))),
  constraint outbox_check1 CHECK (((status = 'waiting'::text) OR (content IS NULL))),
  constraint outbox_id_check CHECK ((id ~ '^(mail|msg)_[0-9a-v]{26}$'::text)),
  constraint outbox_kind_check CHECK (((length(kind) >= 1) AND (length(kind) <= 50))),
  constraint outbox_last_error_check CHECK ((length(last_error) <= 500)),
  constraint outbox_recipient_check CHECK (((length(recipient) >= 1) AND (length(recipient) <= 2048))),
  constraint outbox_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'sent'::text, 'failed'::text, 'cancelled'::text])))
);
CREATE INDEX outbox_by_account ON outbox USING btree (account_id) WHERE (account_id IS NOT NULL);
CREATE INDEX outbox_due ON outbox USING btree (channel, run_at) WHERE (status = 'waiting'::text);
CREATE INDEX outbox_failed ON outbox USING btree (channel) WHERE (status = 'failed'::text);
CREATE INDEX outbox_finished ON outbox USING btree (finished_at) WHERE (finished_at IS NOT NULL);

create table people (
  id uuid not null,
  email text not null,
  email_key text collate "C" not null,
  name text not null,
  administrator boolean default false not null,
  password_hash text,
  created_at timestamp with time zone default now() not null,
  last_seen_at timestamp with time zone,
  closed_at timestamp with time zone,
  constraint people_pkey PRIMARY KEY (id),
  constraint people_email_check CHECK (((length(email) >= 3) AND (length(email) <= 254))),
  constraint people_email_key_check CHECK (((length(email_key) >= 3) AND (length(email_key) <= 254))),
  constraint people_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint people_password_hash_check CHECK ((password_hash ~ '^\$argon2id\$v=19\$'::text))
);
CREATE INDEX people_by_name ON people USING btree ("left"(lower(name), 64) COLLATE "C", id);
CREATE INDEX people_by_seen ON people USING btree (COALESCE(last_seen_at, to_timestamp((0)::double precision)), id);
CREATE INDEX people_newest ON people USING btree (created_at DESC, id DESC);
CREATE UNIQUE INDEX people_open_email ON people USING btree (email_key) WHERE (closed_at IS NULL);
CREATE INDEX people_words ON people USING gin (search_words(((name || ' '::text) || email)));

create table processes (
  id uuid not null,
  role text not null,
  providers text[] not null,
  routes jsonb not null,
  storage_id text,
  started_at timestamp with time zone default now() not null,
  seen_at timestamp with time zone default now() not null,
  health jsonb default '[]'::jsonb not null,
  constraint processes_pkey PRIMARY KEY (id),
  constraint processes_health_check CHECK ((jsonb_typeof(health) = 'array'::text)),
  constraint processes_role_check CHECK ((role = ANY (ARRAY['all'::text, 'api'::text, 'worker'::text]))),
  constraint processes_routes_check CHECK ((jsonb_typeof(routes) = 'object'::text))
);

create table provider_credentials (
  id text collate "C" not null,
  provider text not null,
  key_id text collate "C" not null,
  sealed text collate "C" not null,
  last_four text not null,
  created_at timestamp with time zone default clock_timestamp() not null,
  constraint provider_credentials_pkey PRIMARY KEY (id),
  constraint provider_credentials_last_four_check CHECK ((length(last_four) <= 4)),
  constraint provider_credentials_provider_fkey FOREIGN KEY (provider) REFERENCES connected_providers(name) ON DELETE CASCADE
);
CREATE INDEX provider_credentials_by_provider ON provider_credentials USING btree (provider);

create table provider_days (
  day date not null,
  provider text not null,
  outcome text not null,
  attempts bigint not null,
  constraint provider_days_pkey PRIMARY KEY (day, provider, outcome),
  constraint provider_days_attempts_check CHECK ((attempts > 0))
);

create table provider_routes (
  model text collate "C" not null,
  providers text[] not null,
  changed_at timestamp with time zone default now() not null,
  constraint provider_routes_pkey PRIMARY KEY (model),
  constraint provider_routes_providers_check CHECK ((cardinality(providers) <= 16))
);

create table provider_tests (
  id text collate "C" not null,
  provider text not null,
  credential text collate "C",
  reference text collate "C" not null,
  generation jsonb not null,
  operation text,
  state text default 'running'::text not null,
  progress double precision,
  detail text,
  video_url text,
  created_at timestamp with time zone default now() not null,
  created_by text not null,
  next_poll_at timestamp with time zone default now() not null,
  ended_at timestamp with time zone,
  canary_day date,
  constraint provider_tests_pkey PRIMARY KEY (id),
  constraint provider_tests_check CHECK (((state = 'running'::text) = (ended_at IS NULL))),
  constraint provider_tests_check1 CHECK (((state = 'completed'::text) = (video_url IS NOT NULL))),
  constraint provider_tests_created_by_check CHECK (((length(created_by) >= 1) AND (length(created_by) <= 254))),
  constraint provider_tests_progress_check CHECK (((progress >= (0)::double precision) AND (progress <= (1)::double precision))),
  constraint provider_tests_reference_key UNIQUE (reference),
  constraint provider_tests_state_check CHECK ((state = ANY (ARRAY['running'::text, 'completed'::text, 'failed'::text])))
);
CREATE INDEX provider_tests_by_age ON provider_tests USING btree (created_at);
CREATE UNIQUE INDEX provider_tests_running ON provider_tests USING btree (provider) WHERE (state = 'running'::text);

create table provider_versions (
  provider text not null,
  version integer not null,
  settings jsonb not null,
  replaced_at timestamp with time zone default now() not null,
  constraint provider_versions_pkey PRIMARY KEY (provider, version),
  constraint provider_versions_provider_fkey FOREIGN KEY (provider) REFERENCES connected_providers(name) ON DELETE CASCADE
);

create table recovery_codes (
  person_id uuid not null,
  digest text collate "C" not null,
  used_at timestamp with time zone,
  constraint recovery_codes_pkey PRIMARY KEY (person_id, digest),
  constraint recovery_codes_digest_check CHECK ((digest ~ '^[0-9a-f]{64}$'::text)),
  constraint recovery_codes_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id)
);

create table redemption_codes (
  id text not null,
  digest text not null,
  last_four text not null,
  amount bigint not null,
  mode text not null,
  note text not null,
  created_at timestamp with time zone default now() not null,
  created_by text not null,
  expires_at timestamp with time zone,
  redeemed_at timestamp with time zone,
  account_id uuid,
  revoked_at timestamp with time zone,
  constraint redemption_codes_pkey PRIMARY KEY (id),
  constraint redemption_codes_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint redemption_codes_amount_check CHECK (((amount >= 1) AND (amount <= 1000000000))),
  constraint redemption_codes_check CHECK (((redeemed_at IS NULL) = (account_id IS NULL))),
  constraint redemption_codes_check1 CHECK (((redeemed_at IS NULL) OR (revoked_at IS NULL))),
  constraint redemption_codes_created_by_check CHECK (((length(created_by) >= 1) AND (length(created_by) <= 200))),
  constraint redemption_codes_digest_check CHECK ((digest ~ '^[0-9a-f]{64}$'::text)),
  constraint redemption_codes_digest_key UNIQUE (digest),
  constraint redemption_codes_id_check CHECK ((id ~ '^code_[0-9a-hjkmnp-tv-z]{26}$'::text)),
  constraint redemption_codes_last_four_check CHECK ((length(last_four) = 4)),
  constraint redemption_codes_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint redemption_codes_note_check CHECK (((length(note) >= 1) AND (length(note) <= 1000)))
);
CREATE INDEX redemption_codes_by_amount ON redemption_codes USING btree (amount, id);
CREATE INDEX redemption_codes_of_account ON redemption_codes USING btree (account_id, id) WHERE (account_id IS NOT NULL);
CREATE INDEX redemption_codes_words ON redemption_codes USING gin (search_words(((((note || ' '::text) || last_four) || ' '::text) || created_by)));

create table retention_positions (
  account_id uuid not null,
  part text not null,
  "position" text collate "C" default ''::text not null,
  constraint retention_positions_pkey PRIMARY KEY (account_id, part),
  constraint retention_positions_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint retention_positions_part_check CHECK ((part = ANY (ARRAY['prompts live'::text, 'prompts test'::text, 'deliveries'::text])))
);

create table second_factors (
  person_id uuid not null,
  secret bytea not null,
  enabled_at timestamp with time zone,
  last_step bigint default 0 not null,
  constraint second_factors_pkey PRIMARY KEY (person_id),
  constraint second_factors_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id)
);

create table sessions (
  id uuid not null,
  person_id uuid not null,
  digest text collate "C" not null,
  previous_digest text collate "C",
  previous_until timestamp with time zone,
  created_at timestamp with time zone default now() not null,
  last_used_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone not null,
  confirmed_at timestamp with time zone default now() not null,
  address text not null,
  agent text not null,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_address_check CHECK ((length(address) <= 100)),
  constraint sessions_agent_check CHECK ((length(agent) <= 400)),
  constraint sessions_check CHECK (((previous_digest IS NULL) = (previous_until IS NULL))),
  constraint sessions_digest_check CHECK ((digest ~ '^[0-9a-f]{64}$'::text)),
  constraint sessions_digest_key UNIQUE (digest),
  constraint sessions_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id),
  constraint sessions_previous_digest_check CHECK ((previous_digest ~ '^[0-9a-f]{64}$'::text))
);
CREATE INDEX sessions_by_previous ON sessions USING btree (previous_digest) WHERE (previous_digest IS NOT NULL);
CREATE INDEX sessions_of_person ON sessions USING btree (person_id, created_at DESC);

create table settings (
  key text not null,
  value text not null,
  constraint settings_pkey PRIMARY KEY (key),
  constraint settings_key_check CHECK (((length(key) >= 1) AND (length(key) <= 100))),
  constraint settings_value_check CHECK ((length(value) <= 10000))
);

create table sign_in_troubles (
  scope text collate "C" not null,
  tries integer not null,
  last_try_at timestamp with time zone not null,
  blocked_until timestamp with time zone not null,
  constraint sign_in_troubles_pkey PRIMARY KEY (scope),
  constraint sign_in_troubles_scope_check CHECK (((length(scope) >= 1) AND (length(scope) <= 100))),
  constraint sign_in_troubles_tries_check CHECK ((tries >= 1))
);
CREATE INDEX sign_in_troubles_by_age ON sign_in_troubles USING btree (last_try_at);

create table signing_keys (
  id text collate "C" not null,
  kind text not null,
  certificate text not null,
  sealed bytea,
  created_at timestamp with time zone default clock_timestamp() not null,
  retired_at timestamp with time zone,
  constraint signing_keys_pkey PRIMARY KEY (id),
  constraint signing_keys_certificate_check CHECK ((octet_length(certificate) <= 65536)),
  constraint signing_keys_check CHECK (((kind = 'bought'::text) = (sealed IS NULL))),
  constraint signing_keys_id_check CHECK ((id ~ '^[0-9a-f]{64}$'::text)),
  constraint signing_keys_kind_check CHECK ((kind = ANY (ARRAY['authority'::text, 'signer'::text, 'bought'::text])))
);
CREATE UNIQUE INDEX signing_keys_authority ON signing_keys USING btree (kind) WHERE (kind = 'authority'::text);
CREATE UNIQUE INDEX signing_keys_signer ON signing_keys USING btree (kind) WHERE ((kind = 'signer'::text) AND (retired_at IS NULL));

create table status_rounds (
  process_id uuid not null,
  round bigint not null,
  admitted_at timestamp with time zone not null,
  told_at timestamp with time zone default clock_timestamp() not null,
  admitted jsonb not null,
  constraint status_rounds_pkey PRIMARY KEY (process_id, round),
  constraint status_rounds_admitted_check CHECK ((jsonb_typeof(admitted) = 'object'::text)),
  constraint status_rounds_round_check CHECK ((round > 0))
);
CREATE INDEX status_rounds_told ON status_rounds USING btree (told_at);

create table task_counts (
  id bigint generated always as identity not null,
  status text not null,
  billing_status text not null,
  tasks bigint not null,
  constraint task_counts_pkey PRIMARY KEY (id)
);

create table task_metadata (
  account_id uuid not null,
  mode text not null,
  pair bytea not null,
  task_id text collate "C" not null,
  constraint task_metadata_pkey PRIMARY KEY (account_id, mode, pair, task_id),
  constraint task_metadata_pair_check CHECK ((octet_length(pair) = 16))
);

create table task_search (
  task_id text collate "C" not null,
  words tsvector not null,
  constraint task_search_pkey PRIMARY KEY (task_id)
);
CREATE INDEX task_search_words ON task_search USING gin (words);

create table task_search_position (
  one boolean default true not null,
  "position" text collate "C" not null,
  constraint task_search_position_pkey PRIMARY KEY (one),
  constraint task_search_position_one_check CHECK (one)
);

create table tasks (
  id text collate "C" not null,
  account_id uuid not null,
  key_id text collate "C" not null,
  mode text not null,
  status text default 'queued'::text not null,
  billing_status text default 'reserved'::text not null,
  failed_reason text,
  model text not null,
  generation jsonb not null,
  callback_url text,
  credits bigint not null,
  created_at timestamp with time zone default now() not null,
  deadline_at timestamp with time zone not null,
  submitted_at timestamp with time zone,
  finished_at timestamp with time zone,
  result jsonb,
  expires_at timestamp with time zone,
  removed_at timestamp with time zone,
  progress real,
  refund_outcome text,
  refused_part text,
  request_id text,
  created_by text,
  priced_seconds double precision,
  image_formats jsonb,
  dialect jsonb,
  metadata jsonb,
  constraint tasks_pkey PRIMARY KEY (id),
  constraint tasks_billing_status_check CHECK ((billing_status = ANY (ARRAY['reserved'::text, 'charged'::text, 'refunded'::text, 'refund_failed'::text]))),
  constraint tasks_check CHECK (((status = 'completed'::text) = (billing_status = 'charged'::text))),
  constraint tasks_check1 CHECK (((status = 'failed'::text) = (billing_status = ANY (ARRAY['refunded'::text, 'refund_failed'::text])))),
  constraint tasks_check2 CHECK (((status = 'failed'::text) = (failed_reason IS NOT NULL))),
  constraint tasks_check3 CHECK (((status = ANY (ARRAY['completed'::text, 'failed'::text])) = (finished_at IS NOT NULL))),
  constraint tasks_check4 CHECK (((status = 'completed'::text) = (result IS NOT NULL))),
  constraint tasks_check5 CHECK (((result IS NULL) = (expires_at IS NULL))),
  constraint tasks_check6 CHECK (((refund_outcome IS NULL) OR (billing_status = ANY (ARRAY['refunded'::text, 'refund_failed'::text])))),
  constraint tasks_credits_check CHECK ((credits > 0)),
  constraint tasks_dialect_check CHECK (((dialect IS NULL) OR ((dialect ->> 'name'::text) = ANY (ARRAY['modelark'::text, 'replicate'::text])))) NOT VALID,
  constraint tasks_failed_reason_check CHECK ((failed_reason = ANY (ARRAY['provider_failed'::text, 'provider_rejected'::text, 'material_unavailable'::text, 'timed_out'::text, 'cancelled'::text, 'internal_error'::text]))),
  constraint tasks_id_check CHECK ((id ~ '^task_[0-9a-hjkmnp-tv-z]{26}$'::text)),
  constraint tasks_key_fkey FOREIGN KEY (key_id, account_id, mode) REFERENCES api_keys(id, account_id, mode),
  constraint tasks_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint tasks_priced_seconds_check CHECK (((priced_seconds > (0)::double precision) AND (priced_seconds <= (30)::double precision))),
  constraint tasks_refund_outcome_check CHECK ((refund_outcome = ANY (ARRAY['refunded'::text, 'written_off'::text]))),
  constraint tasks_refused_part_check CHECK ((refused_part = ANY (ARRAY['prompt'::text, 'material'::text, 'input'::text, 'output'::text, 'settings'::text]))),
  constraint tasks_refused_part_of_refused CHECK (((refused_part IS NULL) OR (failed_reason = 'provider_rejected'::text))),
  constraint tasks_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'generating'::text, 'completed'::text, 'failed'::text])))
);
CREATE INDEX tasks_by_account ON tasks USING btree (account_id, mode, id DESC);
CREATE INDEX tasks_completed_alike ON tasks USING btree (mode, model, ((generation ->> 'resolution'::text)), ((generation ->> 'duration'::text)), id DESC) WHERE (status = 'completed'::text);
CREATE INDEX tasks_failed ON tasks USING btree (failed_reason, id DESC) WHERE (failed_reason IS NOT NULL);
CREATE INDEX tasks_failed_of_account ON tasks USING btree (account_id, failed_reason, id DESC) WHERE (failed_reason IS NOT NULL);
CREATE INDEX tasks_refund_failures ON tasks USING btree (id) WHERE (billing_status = 'refund_failed'::text);
CREATE INDEX tasks_unfinished ON tasks USING btree (account_id, mode, credits) WHERE (finished_at IS NULL);

create table undelivered_creates (
  task_id text collate "C" not null,
  key_id text collate "C" not null,
  request_digest text not null,
  undelivered_at timestamp with time zone default now() not null,
  constraint undelivered_creates_pkey PRIMARY KEY (task_id)
);
CREATE INDEX undelivered_creates_by_age ON undelivered_creates USING btree (undelivered_at);
CREATE INDEX undelivered_creates_by_key ON undelivered_creates USING btree (key_id, request_digest);

create table usage_days (
  account_id uuid not null,
  mode text not null,
  day date not null,
  model text not null,
  resolution text not null,
  status text not null,
  key_id text collate "C" not null,
  tasks integer not null,
  credits bigint not null,
  seconds double precision[] not null,
  constraint usage_days_pkey PRIMARY KEY (account_id, mode, day, model, resolution, status, key_id),
  constraint usage_days_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id),
  constraint usage_days_credits_check CHECK ((credits >= 0)),
  constraint usage_days_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys(id),
  constraint usage_days_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint usage_days_status_check CHECK ((status = ANY (ARRAY['completed'::text, 'failed'::text]))),
  constraint usage_days_tasks_check CHECK ((tasks > 0))
);

create table usage_rollup (
  one boolean default true not null,
  since timestamp with time zone not null,
  until timestamp with time zone not null,
  constraint usage_rollup_pkey PRIMARY KEY (one),
  constraint usage_rollup_check CHECK ((until >= since)),
  constraint usage_rollup_one_check CHECK (one)
);

create unlogged table worker_connections (
  name text not null,
  address text not null,
  seen_at timestamp with time zone default now() not null,
  constraint worker_connections_pkey PRIMARY KEY (name, address)
);

create table workers (
  name text not null,
  label text,
  token_digest text not null,
  created_by text not null,
  created_at timestamp with time zone default now() not null,
  draining boolean default false not null,
  engine text,
  slots integer,
  version text,
  instance text,
  last_seen_at timestamp with time zone,
  constraint workers_pkey PRIMARY KEY (name),
  constraint workers_created_by_check CHECK (((length(created_by) >= 1) AND (length(created_by) <= 254))),
  constraint workers_label_check CHECK ((label ~ '^[a-z][a-z0-9-]{0,31}$'::text)),
  constraint workers_name_check CHECK ((name ~ '^[a-z][a-z0-9-]{0,31}$'::text)),
  constraint workers_slots_check CHECK (((slots >= 0) AND (slots <= 64))),
  constraint workers_token_digest_key UNIQUE (token_digest)
);

CREATE OR REPLACE FUNCTION public.count_deliveries()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION public.count_tasks()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_audit_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'audit_log is append-only' using errcode = 'restrict_violation';
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'VG001';
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_closed_accounts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_code_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.redeemed_at is not null or old.revoked_at is not null
    or (old.id, old.digest, old.amount, old.mode, old.created_at)
      is distinct from (new.id, new.digest, new.amount, new.mode, new.created_at) then
    raise exception 'code % does not change any more', old.id using errcode = 'VG005';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_illegal_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION public.require_reservation()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (
    select from ledger_entries
    where task_id = new.task_id and kind = 'reserve' and amount = new.amount
      and account_id = new.account_id and mode = new.mode
  ) then
    raise exception 'no reservation of % for %', new.amount, new.task_id using errcode = 'VG003';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.search_query(content text)
 RETURNS tsquery
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (SELECT (COALESCE(string_agg((quote_literal(word.word) || CASE WHEN (cardinality(found.words) > 8) THEN ''::text ELSE ':*'::text END), ' & '::text), ''::text))::tsquery AS "coalesce" FROM (SELECT tsvector_to_array(search_words(search_query.content)) AS words) found, LATERAL unnest(found.words) word(word));

CREATE OR REPLACE FUNCTION public.search_words(content text)
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN strip(to_tsvector('simple'::regconfig, regexp_replace(CASE WHEN (octet_length(content) = char_length(content)) THEN lower(content) ELSE regexp_replace(translate(lower(content), 'ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮĲĴĶŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶȘȚĹĻĽĿŁŃŅŇŹŻŽΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏ'::text, 'àáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĳĵķŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷșțĺļľŀłńņňźżžαβγδεζηθικλμνξοπρστυφχψωϊϋабвгдежзийклмнопрстуфхцчшщъыьэюяѐёђѓєѕіїјљњћќѝўџ'::text), '([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff])'::text, ' \1 '::text, 'g'::text) END, '[!-/:-@\[-`{-~]'::text, ' '::text, 'g'::text)));

CREATE TRIGGER audit_log_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

CREATE TRIGGER deliveries_counted_delete AFTER DELETE ON deliveries REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_deliveries();

CREATE TRIGGER deliveries_counted_insert AFTER INSERT ON deliveries REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_deliveries();

CREATE TRIGGER deliveries_counted_update AFTER UPDATE ON deliveries REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_deliveries();

CREATE TRIGGER erased_tasks_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON erased_tasks FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER ledger_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER ledger_open_account AFTER INSERT ON ledger_entries REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION refuse_closed_accounts();

CREATE TRIGGER ledger_settles_reservation BEFORE INSERT ON ledger_entries FOR EACH ROW WHEN ((new.kind = ANY (ARRAY['charge'::text, 'refund'::text, 'suspend'::text]))) EXECUTE FUNCTION require_reservation();

CREATE TRIGGER redemption_codes_change BEFORE UPDATE ON redemption_codes FOR EACH ROW EXECUTE FUNCTION refuse_code_change();

CREATE TRIGGER tasks_counted_delete AFTER DELETE ON tasks REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_tasks();

CREATE TRIGGER tasks_counted_insert AFTER INSERT ON tasks REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_tasks();

CREATE TRIGGER tasks_counted_update AFTER UPDATE ON tasks REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_tasks();

CREATE TRIGGER tasks_move BEFORE UPDATE ON tasks FOR EACH ROW EXECUTE FUNCTION refuse_illegal_move();
