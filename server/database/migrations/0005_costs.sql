-- What providers bill, and prices of single customers. Without a value, a cost is unknown; it is in
-- millionths of the installation's currency.
alter table attempts
  add column cost_micros bigint,
  add column cost_source text,
  add constraint attempts_cost_micros_check check (cost_micros >= 0) not valid,
  add constraint attempts_cost_source_check
    check (cost_source in ('reported', 'rule', 'bill')) not valid,
  add constraint attempts_cost_check
    check ((cost_micros is null) = (cost_source is null)) not valid;

alter table accounts
  add column price_percent numeric(5, 2),
  add column prices jsonb,
  add constraint accounts_price_percent_check check (price_percent >= 0),
  add constraint accounts_prices_check check ((jsonb_typeof(prices) = 'object')
    and (octet_length(prices::text) <= 20000));

-- Live tasks of days that are over, added up with `installation_days`.
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
  constraint margin_days_pkey primary key (day, account_id, model, provider),
  constraint margin_days_check check ((cost_unknown >= 0) and (cost_unknown <= attempts)
    and (tasks <= attempts) and (credits >= 0) and (cost_micros >= 0))
);

-- The rows of a vendor's bill while it is compared.
create table bill_rows (
  bill_id uuid not null,
  line bigint not null,
  operation text collate "C" not null,
  kind text not null,
  task_id text collate "C",
  number int,
  billed_micros bigint,
  expected_micros bigint,
  received_at timestamptz default now() not null,
  constraint bill_rows_pkey primary key (bill_id, line),
  constraint bill_rows_kind_check
    check (kind in ('matched', 'differs', 'not_ours', 'not_billed', 'twice'))
);
create index bill_rows_by_operation on bill_rows (bill_id, operation);

alter table notices drop constraint notices_kind_check,
  add constraint notices_kind_check check (kind in ('low_balance', 'refund_waiting',
    'provider_breaker_open', 'webhook_failing', 'key_cap_reached', 'negative_margin',
    'cost_unknown', 'bill_differs', 'model_retires')) not valid;
