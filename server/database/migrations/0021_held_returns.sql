-- Refunds and disputes that Stripe reported before their payment. They wait for it by its id, which
-- is all that such an event names for certain; those of other products are deleted after a while.
create table held_returns (
  event_id text primary key check (length(event_id) between 1 and 200),
  payment_id text not null check (length(payment_id) between 1 and 200),
  type text not null check (length(type) between 1 and 100),
  received_at timestamptz not null default now()
);
create index held_returns_of_payment on held_returns (payment_id);
