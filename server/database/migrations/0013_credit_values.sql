-- What a charged credit earns in millionths of the installation's currency, from when on. The first
-- value also holds for all time before.
create table credit_values (
  since timestamptz not null,
  micros bigint not null,
  constraint credit_values_pkey primary key (since),
  constraint credit_values_micros_check check (micros >= 0)
);

-- Null if there was no value when the day was added up: then the first value holds.
alter table margin_days add column revenue_micros bigint;
