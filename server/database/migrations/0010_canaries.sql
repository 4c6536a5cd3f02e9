-- Test videos that the service makes by itself: one a day of each model and provider, which its ID
-- names, so that it exists once.
alter table provider_tests add column canary_day date;

alter table notices drop constraint notices_kind_check,
  add constraint notices_kind_check check (kind in ('low_balance', 'refund_waiting',
    'provider_breaker_open', 'webhook_failing', 'key_cap_reached', 'negative_margin',
    'cost_unknown', 'bill_differs', 'model_retires', 'canary_failed')) not valid;
