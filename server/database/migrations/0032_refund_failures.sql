-- concurrently
-- Also those that an admin has resolved, unlike in `tasks_refund_failed`, which 0036 drops.
create index concurrently tasks_refund_failures on tasks (id)
  where billing_status = 'refund_failed';
